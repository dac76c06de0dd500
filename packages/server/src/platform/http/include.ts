/** What a request asked for beside the record, as its answer's `included`; nothing else is looked up. */
export async function includedIn<Included extends object>(
  { include = [] }: { include?: readonly (keyof Included)[] },
  parts: { [Name in keyof Included]: () => Promise<Included[Name]> },
): Promise<{ included?: Partial<Included> }> {
  if (include.length === 0) return {}
  const included: Partial<Included> = {}
  for (const name of new Set(include)) included[name] = await parts[name]()
  return { included }
}
