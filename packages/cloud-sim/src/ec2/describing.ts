import { CloudError } from '../errors.ts'

/** Common input of all Describe operations, in wire format: numbers and booleans are text. */
export interface DescribeInput {
  Filter?: { Name?: string; Value?: string[] }[]
  MaxResults?: string
  NextToken?: string
  DryRun?: string
}

/** Resource type with its filters. */
export interface DescribableResource<T> {
  /** Name of the resource in errors, such as `subnet ID`. */
  noun: string
  /** Error code for a missing resource, such as `InvalidSubnetID.NotFound`. */
  notFound: string
  idOf: (row: T) => string
  /** Values of a row for each filter. */
  filters: Record<string, (row: T) => readonly string[]>
}

/** Returns the requested rows: those with the ids, or a page of those that match the filters. */
export function selectRequestedRows<T>(
  rows: readonly T[],
  kind: DescribableResource<T>,
  ids: string[] | undefined,
  input: DescribeInput,
) {
  const { Filter = [], MaxResults, NextToken, DryRun } = input
  if (DryRun?.toLowerCase() === 'true') {
    throw new CloudError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412)
  }
  if (ids && (MaxResults !== undefined || NextToken !== undefined)) {
    const message = `The parameter ${kind.noun}s cannot be used with the parameters maxResults and nextToken`
    throw new CloudError('InvalidParameterCombination', message)
  }
  const missing = ids?.find((id) => !rows.some((row) => kind.idOf(row) === id))
  if (missing !== undefined) throw new CloudError(kind.notFound, `The ${kind.noun} '${missing}' does not exist`)
  const named = ids ? rows.filter((row) => ids.includes(kind.idOf(row))) : rows
  const passing = named.filter((row) => Filter.every((filter) => passes(row, kind, filter)))
  return pageOf(passing, kind, input)
}

/** Returns a page. The token is the last id of the previous page. */
function pageOf<T>(rows: T[], { idOf }: DescribableResource<T>, { MaxResults, NextToken }: DescribeInput) {
  const last = NextToken === undefined ? undefined : Buffer.from(NextToken, 'base64url').toString()
  const from = last === undefined ? 0 : rows.findIndex((row) => idOf(row) === last) + 1
  if (last !== undefined && from === 0) {
    throw new CloudError('InvalidNextToken', 'The specified NextToken is not valid.')
  }
  const to = MaxResults === undefined ? rows.length : from + Number(MaxResults)
  const items = rows.slice(from, to)
  const [end] = items.slice(-1)
  const nextToken = to < rows.length && end !== undefined ? Buffer.from(idOf(end)).toString('base64url') : undefined
  return { items, nextToken }
}

function passes<T>(
  row: T,
  { filters }: DescribableResource<T>,
  { Name = '', Value = [] }: { Name?: string; Value?: string[] },
) {
  const values = filters[Name] ?? (Name.startsWith('tag:') ? filters['tag:*'] : undefined)
  if (!values) throw new CloudError('InvalidParameterValue', `The filter '${Name}' is invalid`)
  const tag = Name.startsWith('tag:') ? `${Name.slice('tag:'.length)}=` : ''
  return values(row).some((value) => Value.some((wanted) => fits(tag + wanted, value)))
}

/** Reports whether a text matches a filter value with the wildcards `*` and `?`, case-sensitively. */
function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]')
  return new RegExp(`^${source}$`).test(text)
}

/** Returns the tags of a row, which has only the `Name` tag. */
export const tagsOf = ({ name }: { name?: string }) => (name === undefined ? [] : [{ key: 'Name', value: name }])

/** Tag filters that all resource types support, such as `tag:Name=web`. */
export const tagFilters = {
  'tag:*': ({ name }: { name?: string }) => (name === undefined ? [] : [`Name=${name}`]),
  'tag-key': ({ name }: { name?: string }) => (name === undefined ? [] : ['Name']),
}
