import type { CreateModuleVersion } from '@sluice/contract'
import type { CallerRequest } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { listed } from '../../platform/http/listed.ts'
import { setLatestVersion, visibleTypes } from '../module-definitions/store.ts'
import type { ModuleVersionRow } from '../module-definitions/tables.ts'
import { type CheckedConfig, checkConfig } from './config.ts'
import { latestOf } from './latest.ts'
import { insertModuleVersion } from './store.ts'

export const resourceType = 'module-version'

/** Validates a config for publication. Returns response headers with warnings. */
export async function checkedForPublishing(
  db: Db,
  organizationId: string,
  config: Record<string, unknown>,
  at = '$.data',
): Promise<Record<string, string>> {
  const { faults, referred } = checkConfig(config)
  const placed = (texts: string[]) => texts.map((text) => text.replace(/^\$\.data(?=\.)/, () => at))
  rejectFaults(placed(faults))
  const warnings = [...(await unpublishedTypes(db, organizationId, referred)), ...withoutEffect(config)]
  return warnings.length > 0 ? { 'sluice-warnings': headerOf(placed(warnings)) } : {}
}

/** Publishes a validated version of a definition. */
export async function publishVersion(
  tx: Db,
  asking: CallerRequest,
  before: readonly Pick<ModuleVersionRow, 'id' | 'version'>[],
  data: CreateModuleVersion,
): Promise<ModuleVersionRow> {
  const { organizationId } = asking.caller
  const { moduleDefinitionId, version, description } = data
  const published = await insertModuleVersion(tx, organizationId, data)
  await setLatestVersion(tx, organizationId, moduleDefinitionId, latestOf([...before, published]))
  const details = { moduleDefinitionId, version, description }
  await recordChange(tx, asking, { action: 'module-versions.create', resourceType, resourceId: published.id, details })
  return published
}

/** Returns referenced types without a published definition. They may be published later, so this is only a warning. */
async function unpublishedTypes(
  db: Db,
  organizationId: string,
  referred: CheckedConfig['referred'],
): Promise<string[]> {
  const known = await visibleTypes(
    db,
    organizationId,
    referred.map(({ type }) => type),
  )
  return referred
    .filter(({ type }) => !known.includes(type))
    .map(({ type, path }) => `${path}: there is no module definition of the type ${type} yet`)
}

/** Builders that produce images and no files. */
const ofImages: readonly unknown[] = ['dockerfile', 'railpack', 'nixpacks']

/** Returns parts of the config that are stored but have no effect in Sluice. */
function withoutEffect(config: Record<string, unknown>): string[] {
  const build = membersOf(config.build)
  if (build.type === 'disabled') return []
  const isWithout = build.type !== 'image' && ofImages.includes(membersOf(build.builder).type)
  return isWithout ? ['$.data.config.build: is stored but never run'] : []
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Maximum header length that clients and proxies accept, in characters. */
const maxHeaderLength = 4096

/** Serializes warnings as an ASCII JSON list, truncated to the maximum length. */
function headerOf(warnings: readonly string[]): string {
  for (let count = warnings.length; count > 0; count -= 1) {
    const left = warnings.length - count
    const shown = left > 0 ? [...warnings.slice(0, count), `${left} more`] : warnings
    const text = JSON.stringify(shown).replaceAll(/[^ -~]/g, (letter) => {
      return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
    if (text.length <= maxHeaderLength) return text
  }
  return JSON.stringify([`${warnings.length} warnings`])
}

function rejectFaults(faults: string[]): void {
  if (faults.length === 0) return
  throw new ApiError('moduleConfigInvalid', 'The configuration is invalid. See the details for all errors.', {
    details: listed('Config', faults),
  })
}
