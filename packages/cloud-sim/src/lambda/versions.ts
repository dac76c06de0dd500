import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../callers.ts'
import { created } from '../wire/rest.ts'
import type { World } from '../world.ts'
import { describe } from './describe.ts'
import { type FunctionIdentifier, findChangeable, findFunction, invalid, latest, newRevisionId } from './records.ts'
import { type FunctionVersion, lambda } from './state.ts'

export function publishVersion(
  world: World,
  caller: Caller,
  input: FunctionIdentifier & { CodeSha256?: string; Description?: string; RevisionId?: string },
) {
  const row = findChangeable(world, caller, input)
  const { CodeSha256: wanted } = input
  if (wanted !== undefined && wanted !== row.code.sha256) {
    throw invalid(`CodeSHA256 (${wanted}) is different from current CodeSHA256 in $LATEST (${row.code.sha256}).`)
  }
  return created(describe(publish(world, row, input.Description), true))
}

/** Publishes `$LATEST` as a new version, or returns the newest one if nothing has changed. */
export function publish(world: World, row: FunctionVersion, description: string | undefined): FunctionVersion {
  const owner = lambda(world).functions.get(row.functionArn)
  if (!owner) throw new Error(`${row.key} has no function`)
  const newest = lambda(world).versions.get(`${owner.key}:${owner.newestVersion}`)
  if (newest && isSame(newest, row)) return newest
  owner.newestVersion += 1
  lambda(world).functions.save(owner)
  const version = String(owner.newestVersion)
  return lambda(world).versions.save({
    ...row,
    key: `${owner.key}:${version}`,
    version,
    settings: { ...row.settings, ...(description === undefined ? {} : { Description: description }) },
    state: 'Pending',
    lastUpdate: 'Successful',
    revisionId: newRevisionId(),
    wakeAt: world.in(world.timing.functionPublishSeconds),
  })
}

function isSame(one: FunctionVersion, other: FunctionVersion): boolean {
  const essence = ({ code, settings: { Description: _, ...settings }, architectures }: FunctionVersion) => ({
    code: code.sha256,
    settings,
    architectures,
  })
  return isDeepStrictEqual(essence(one), essence(other))
}

const maxPageSize = 50

export function listVersionsByFunction(
  world: World,
  caller: Caller,
  { Marker, MaxItems, ...named }: FunctionIdentifier & { Marker?: string; MaxItems?: string },
) {
  const { key } = findFunction(world, caller, named)
  const { page, more } = paged(lambda(world).versions.having('function', key), { Marker, MaxItems })
  return { Versions: page.map((row) => describe(row, true)), ...more }
}

/** Lists all functions as `$LATEST`, and with `FunctionVersion` also every version. */
export function listFunctions(
  world: World,
  caller: Caller,
  { FunctionVersion: which, ...wish }: { FunctionVersion?: 'ALL'; Marker?: string; MaxItems?: string },
) {
  const own = [...lambda(world).functions.all()].filter(({ scope }) => scope === caller.scope)
  const rows = own.flatMap(({ key }) => lambda(world).versions.having('function', key))
  const { page, more } = paged(
    rows.filter(({ version }) => which === 'ALL' || version === latest),
    wish,
  )
  return { Functions: page.map((row) => describe(row, which === 'ALL')), ...more }
}

/** Returns a page of at most 50 ("ListFunctions" in the API reference, read 2026-11). */
function paged(
  all: readonly FunctionVersion[],
  { Marker, MaxItems }: { Marker?: string | undefined; MaxItems?: string | undefined },
) {
  const size = Math.min(maxPageSize, Number(MaxItems ?? maxPageSize))
  if (!(size >= 1)) throw invalid(`MaxItems ${MaxItems} must be 1 or more.`)
  const from = Marker === undefined ? 0 : all.findIndex((row) => row.key === Marker) + 1
  if (Marker !== undefined && from === 0) throw invalid(`Invalid value for Marker: ${Marker}`)
  const page = all.slice(from, from + size)
  const NextMarker = from + size < all.length ? page.at(-1)?.key : undefined
  return { page, more: NextMarker ? { NextMarker } : {} }
}
