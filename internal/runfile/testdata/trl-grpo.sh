#!/bin/sh
# Eight answers to each prompt, compared with one another.
accelerate launch --num_processes 4 -m trl grpo \
  --model_name_or_path models/qwen2.5-1.5b \
  --dtype bfloat16 \
  --dataset_name data/maths \
  --output_dir out/grpo \
  --num_generations 8 \
  --max_completion_length 1024 \
  --per_device_train_batch_size 8 \
  --gradient_accumulation_steps 4 \
  --beta 0.04 \
  --use_vllm --vllm_mode colocate \
  --learning_rate=1e-6 \
  --reward_funcs accuracy_reward think_format_reward \
  --max_steps 500
