/** Maximum size and a valid example of an operation's body. */
export type Shape = { example: unknown; mostBytes: number }

/** Maximum number of values in any body; see `platform/http/body.ts`. */
const mostValues = 49_000

/** Yields the most expensive bodies for an operation, within its maximum size. */
export function* costlyBodies({ example, mostBytes }: Shape): Generator<[kind: string, body: string]> {
  const roomy = mostBytes - 1_000
  const some = (bytes: number, perItem: number) => Math.min(mostValues, Math.floor(bytes / perItem))
  const data = Object.fromEntries(Array.from({ length: some(roomy, 10) }, (_, index) => [`k${index}`, 1]))
  yield ['unknown properties', JSON.stringify({ data })]
  yield ['the same name', `{"data":{${'"a":1,'.repeat(some(roomy, 6))}"a":1}}`]
  for (const [kind, depth] of [
    ['deep nesting', some(roomy, 2)],
    ['nesting without end', roomy / 2],
  ] as const) {
    yield [kind, `{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`]
  }
  yield ['what cannot be stored', JSON.stringify({ data: Array.from({ length: some(roomy, 9) }, () => '\0') })]
  for (const [kind, fill] of [
    ['long texts', (text: string, room: number) => text + 'a'.repeat(room)],
    ['texts of other letters', (_: string, room: number) => '\u20ac'.repeat(room / 3)],
    [
      'texts that nearly match',
      (text: string, room: number) => `${(text || 'a').repeat(Math.ceil(room / (text.length || 1)))}\n`,
    ],
    ['templates', (_: string, room: number) => '<< module.input.a >>'.repeat(room / 20)],
    ['an open template', (_: string, room: number) => `<< ${'('.repeat(room)}`],
  ] as const) {
    const count = textsIn(example)
    const room = Math.floor((roomy - JSON.stringify(example).length) / Math.max(1, count) / 1.1)
    if (count > 0 && room > 0)
      yield [kind, JSON.stringify(mapTexts(example, (text) => fill(text, room).slice(0, room)))]
  }
  yield ['long lists', JSON.stringify(fillLists(example, some(roomy / 2, 40)))]
  yield ['full objects', JSON.stringify(fillObjects(example, some(roomy / 2, 20)))]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textsIn(value: unknown): number {
  if (typeof value === 'string') return 1
  return typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, one) => sum + textsIn(one), 0)
    : 0
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]))
}

/** Repeats the first item of each outermost list. */
function fillLists(value: unknown, times: number): unknown {
  if (Array.isArray(value)) {
    const [first = 'a'] = value
    const size = JSON.stringify(first).length
    return Array.from({ length: Math.max(1, Math.floor((times * 40) / (size + 1))) }, () => first)
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillLists(one, times)]))
}

/** Adds this many members to each innermost object. */
function fillObjects(value: unknown, times: number): unknown {
  if (!isObject(value)) return value
  const inside = Object.entries(value).filter(([, one]) => isObject(one))
  if (inside.length > 0) {
    return {
      ...value,
      ...Object.fromEntries(inside.map(([name, one]) => [name, fillObjects(one, times / inside.length)])),
    }
  }
  return {
    ...value,
    ...Object.fromEntries(Array.from({ length: times }, (_, index) => [`member_${index}`, `v${index}`])),
  }
}
