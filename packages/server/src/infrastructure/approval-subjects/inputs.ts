type Json = Record<string, unknown>

/** Maximum number of inputs and of characters per input. The run itself has all of them. */
const maxInputs = 12
const maxValueLength = 200

/** Returns a short selection of a run's inputs for display. */
export function shownInputs(inputs: Json): Json {
  const short = Object.entries(inputs).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(short.slice(0, maxInputs).map(([id, value]) => [id, cut(value)]))
}

const cut = (value: unknown): unknown =>
  typeof value === 'string' && value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value
