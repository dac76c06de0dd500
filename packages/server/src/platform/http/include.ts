/** Loads the related records that a request lists in `include`, as `included` of the response. */
export async function includedIn<Included extends object>(
  { include = [] }: { include?: readonly (keyof Included)[] },
  parts: { [Name in keyof Included]: () => Promise<Included[Name]> },
): Promise<{ included?: Partial<Included> }> {
  if (include.length === 0) return {}
  const included: Partial<Included> = {}
  for (const name of new Set(include)) included[name] = await parts[name]()
  return { included }
}

type ById<Included extends object> = { [Name in keyof Included]: Record<string, Included[Name]> }

/** Loads the related records of a page as `included`, by record id. Each relation is loaded once for all records. */
export async function includedInEach<Row extends { id: string }, Included extends object>(
  query: { include?: readonly (keyof Included)[] },
  rows: readonly Row[],
  parts: { [Name in keyof Included]: () => Promise<(row: Row) => Included[Name]> },
): Promise<{ included?: Partial<ById<Included>> }> {
  const { include = [] } = query
  if (include.length === 0) return {}
  const included: Partial<ById<Included>> = {}
  for (const name of new Set(include)) {
    const tell = await parts[name]()
    included[name] = Object.fromEntries(rows.map((row) => [row.id, tell(row)]))
  }
  return { included }
}
