import type { IncomingHttpHeaders } from 'node:http'
import { CloudError } from '../errors.ts'
import { noSuchKey } from './answers.ts'
import type { StoredObject } from './state.ts'

/** Values that the conditions of a request compare. */
type Validators = Pick<StoredObject, 'etag' | 'modifiedAt'>

const preconditionFailed = () =>
  new CloudError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412)

const notImplemented = () =>
  new CloudError('NotImplemented', 'A header you provided implies functionality that is not implemented', 501)

/**
 * Checks the conditions of a read, or with the prefix `x-amz-copy-source-` of a copy. Returns whether the reader
 * already has the object. An ETag takes precedence over a date ("GetObject" in the API reference, read 2026-11).
 */
export function isUnmodified(headers: IncomingHttpHeaders, { etag, modifiedAt }: Validators, prefix = ''): boolean {
  const header = (name: string) => headers[`${prefix}${name}`] as string | undefined
  const [match, noneMatch] = [header('if-match'), header('if-none-match')]
  const wasModifiedAfter = (date: string | undefined): boolean | undefined => {
    const at = Date.parse(date ?? '')
    return Number.isNaN(at) ? undefined : Math.floor(modifiedAt / 1000) * 1000 > at
  }
  const isRefused =
    match === undefined ? wasModifiedAfter(header('if-unmodified-since')) === true : !includesTag(match, etag)
  if (isRefused) throw preconditionFailed()
  return noneMatch === undefined
    ? wasModifiedAfter(header('if-modified-since')) === false
    : includesTag(noneMatch, etag)
}

/** Throws if the preconditions of a `CopyObject` request fail. */
export function checkCopyConditions(headers: IncomingHttpHeaders, source: Validators): void {
  if (isUnmodified(headers, source, 'x-amz-copy-source-')) throw preconditionFailed()
}

/** Throws if a conditional write requires a new or unchanged object ("Conditional writes" in the user guide). */
export function checkWriteConditions(headers: IncomingHttpHeaders, current: Validators | undefined): void {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  if (noneMatch !== undefined && noneMatch !== '*') throw notImplemented()
  if (noneMatch === '*' && current) throw preconditionFailed()
  checkIfMatch(match, current)
}

/** Throws if the condition of a deletion does not hold ("Conditional deletes", user guide, read 2026-11). */
export function checkIfMatch(match: string | undefined, current: Validators | undefined): void {
  if (match === undefined) return
  if (!current) throw match === '*' ? preconditionFailed() : noSuchKey()
  if (!includesTag(match, current.etag)) throw preconditionFailed()
}

/** Reports whether a list of ETags contains one, or `*`. */
const includesTag = (list: string, etag: string): boolean =>
  list.split(',').some((one) => one.trim() === '*' || unquoted(one.trim()) === unquoted(etag))

const unquoted = (etag: string) => etag.replace(/^(W\/)?"?/, '').replace(/"$/, '')
