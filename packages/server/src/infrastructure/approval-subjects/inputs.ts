type Json = Record<string, unknown>

/** So many inputs, and so much of each, tell what a run is about; a person can look up the rest. */
const most = 12
const longest = 200

/** What a run was given, as far as it can be read at a glance. */
export function shownInputs(inputs: Json): Json {
  const short = Object.entries(inputs).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(short.slice(0, most).map(([id, value]) => [id, cut(value)]))
}

const cut = (value: unknown): unknown =>
  typeof value === 'string' && value.length > longest ? `${value.slice(0, longest)}…` : value
