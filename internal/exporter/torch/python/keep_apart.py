# for: keep_apart
def keep_apart(attention, inputs):
    """Keeps 1.13 from its fast path in evaluation, which fails where there is no bias."""
    query, key, value = inputs
    return query, key.view_as(key), value
