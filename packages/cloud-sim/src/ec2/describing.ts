import { CloudError } from '../errors.ts'

/** What all requests that describe have in common, by the names of the wire; numbers and booleans are text. */
export interface Describing {
  Filter?: { Name?: string; Value?: string[] }[]
  MaxResults?: string
  NextToken?: string
  DryRun?: string
}

/** What one kind of thing can be found by. */
export interface Kind<T> {
  /** What the thing is called in refusals: `subnet ID`. */
  noun: string
  /** The code of the refusal where one is named that is not there: `InvalidSubnetID.NotFound`. */
  notFound: string
  idOf: (row: T) => string
  /** The values that a row has for each filter. */
  filters: Record<string, (row: T) => readonly string[]>
}

/** The rows that are asked for: those of the ids, else a page of those that pass the filters. */
export function described<T>(rows: readonly T[], kind: Kind<T>, ids: string[] | undefined, input: Describing) {
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

/** The token is the last id of the page before. */
function pageOf<T>(rows: T[], { idOf }: Kind<T>, { MaxResults, NextToken }: Describing) {
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

function passes<T>(row: T, { filters }: Kind<T>, { Name = '', Value = [] }: { Name?: string; Value?: string[] }) {
  const values = filters[Name] ?? (Name.startsWith('tag:') ? filters['tag:*'] : undefined)
  if (!values) throw new CloudError('InvalidParameterValue', `The filter '${Name}' is invalid`)
  const tag = Name.startsWith('tag:') ? `${Name.slice('tag:'.length)}=` : ''
  return values(row).some((value) => Value.some((wanted) => fits(tag + wanted, value)))
}

/** In filters `*` is any text and `?` any character; case counts. */
function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]')
  return new RegExp(`^${source}$`).test(text)
}

/** Names are tags. */
export const tagsOf = ({ name }: { name?: string }) => (name === undefined ? [] : [{ key: 'Name', value: name }])

/** The filters on tags, which all kinds have: `tag:Name=web` for the first. */
export const tagFilters = {
  'tag:*': ({ name }: { name?: string }) => (name === undefined ? [] : [`Name=${name}`]),
  'tag-key': ({ name }: { name?: string }) => (name === undefined ? [] : ['Name']),
}
