type Options<Row> = {
  /** Name of a failing case in the message; by default the primitive values of its row. */
  name?: (row: Row) => string
  /** Maximum number of concurrent cases; one by default. */
  concurrency?: number
}
type Failure = { name: string; error: unknown }

/**
 * Returns a test body that checks every row of a table and then reports all failed ones. As with `test.each`, an array
 * becomes the arguments. One test per table costs far less than one per row.
 */
export function everyCase<Row extends readonly [unknown, ...unknown[]]>(
  rows: readonly Row[],
  check: (...row: Row) => unknown,
  options?: Options<Row>,
): () => Promise<void>
export function everyCase<Row>(
  rows: readonly Row[],
  check: (row: Row) => unknown,
  options?: Options<Row>,
): () => Promise<void>
export function everyCase<Row>(
  rows: readonly Row[],
  check: (...row: unknown[]) => unknown,
  options: Options<Row> = {},
): () => Promise<void> {
  return async () => {
    if (rows.length === 0) throw new Error('the table has no cases')
    const failures = await failuresOf(rows, check, options)
    if (failures.length === 0) return
    const list = failures.map(({ name, error }) => `- ${name}: ${messageOf(error)}`).join('\n')
    throw new Error(`${failures.length} of ${rows.length} cases failed:\n${list}`, { cause: failures[0]?.error })
  }
}

async function failuresOf<Row>(
  rows: readonly Row[],
  check: (...row: unknown[]) => unknown,
  { name = nameOf, concurrency = 1 }: Options<Row>,
): Promise<Failure[]> {
  const failures: (Failure | undefined)[] = []
  const queue = rows.entries()
  const checkQueued = async () => {
    for (const [index, row] of queue) {
      try {
        await (Array.isArray(row) ? check(...row) : check(row))
      } catch (error) {
        failures[index] = { name: name(row), error }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, checkQueued))
  return failures.filter((failure) => failure !== undefined)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const maxNameLength = 160

/** Returns the primitive values of a row, such as `"GET", "/projects"`, or the whole row if it has none. */
function nameOf(row: unknown): string {
  const values = typeof row === 'object' && row !== null ? Object.values(row).filter(isSimple) : [row]
  const name = (values.length === 0 ? [row] : values).map(textOf).join(', ')
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
}

const isSimple = (value: unknown): boolean => typeof value !== 'object' && typeof value !== 'function'
const textOf = (value: unknown): string => JSON.stringify(value) ?? String(value)
