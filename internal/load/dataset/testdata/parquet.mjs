import fs from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetWriteBuffer } from 'hyparquet-writer'
import parquetjs from 'parquetjs'
import * as arrow from 'apache-arrow'
import * as pw from 'parquet-wasm'
const out = process.argv[2] + '/'
const db = await (await DuckDBInstance.create(':memory:')).connect()
await db.run(`copy (select x::double as a, (x*2)::integer as b, x::float as c, (x%3)::bigint as label from range(7) t(x)) to '${out}duckdb-numbers.parquet' (format parquet)`)
await db.run(`copy (select [x, x+1, x+2]::double[] as features, (x%2)::bigint as label from range(5) t(x)) to '${out}duckdb-list.parquet' (format parquet, compression zstd)`)
await db.run(`copy (select date '2024-01-01' + x::integer as day, x::double as a, {'u': x, 'v': 'w'} as record, (x%2)::bigint as label from range(4) t(x)) to '${out}duckdb-nested.parquet' (format parquet)`)
await db.run(`copy (select 'hello' as text, (x%4)::integer as label from range(11) t(x)) to '${out}duckdb-text.parquet' (format parquet)`)
await db.run(`copy (select x as id, 0.5::double as a, (x%4)::integer as target from range(11) t(x)) to '${out}duckdb-index.parquet' (format parquet)`)
const info = JSON.stringify({ info: { features: { image: { _type: 'Image' }, label: { names: ['cat', 'dog', 'cow'], _type: 'ClassLabel' } } } })
fs.writeFileSync(out + 'hyparquet-described.parquet', Buffer.from(parquetWriteBuffer({
  columnData: [{ name: 'image', data: ['x', 'y', 'z'], type: 'STRING' }, { name: 'label', data: [0, 1, 2], type: 'INT32' }],
  kvMetadata: [{ key: 'huggingface', value: info }] })))
const w = await parquetjs.ParquetWriter.openFile(new parquetjs.ParquetSchema({ p: { type: 'DOUBLE' }, q: { type: 'INT64' }, when: { type: 'TIMESTAMP_MILLIS' }, y: { type: 'INT64' } }), out + 'parquetjs-dated.parquet')
for (let i = 0; i < 6; i++) await w.appendRow({ p: i / 2, q: i, when: new Date(1700000000000), y: i % 2 })
await w.close()
const cols = {}
for (let i = 0; i < 20; i++) cols['f' + i] = Float32Array.from([1, 2, 3, 4])
cols.label = Int32Array.from([0, 1, 0, 1])
const t = arrow.tableFromArrays(cols)
fs.writeFileSync(out + 'arrow-rs-wide.parquet', Buffer.from(pw.writeParquet(pw.Table.fromIPCStream(arrow.tableToIPC(t, 'stream')))))
