import type { CreateModuleVersion } from '@sluice/contract'
import type { Asking } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { listed } from '../../platform/http/listed.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { setLatestVersion, visibleTypes } from '../module-definitions/store.ts'
import type { ModuleVersionRow } from '../module-definitions/tables.ts'
import { type CheckedConfig, checkConfig } from './config.ts'
import { latestOf } from './latest.ts'
import { insertModuleVersion } from './store.ts'

export const resourceType = 'module-version'

/** Refuses a config that cannot be published; of one that can, the headers that tell what may not be as it is meant. */
export async function checkedForPublishing(
  db: Db,
  organizationId: string,
  config: Record<string, unknown>,
  at = '$.data',
): Promise<Record<string, string>> {
  const { faults, referred } = checkConfig(config)
  const placed = (texts: string[]) => texts.map((text) => text.replace(/^\$\.data(?=\.)/, () => at))
  refuseFaults(placed(faults))
  const warnings = [...(await unpublishedTypes(db, organizationId, referred)), ...withoutEffect(config)]
  return warnings.length > 0 ? { 'sluice-warnings': headerOf(placed(warnings)) } : {}
}

/** Publishes a version that was checked, beside those that the definition has. */
export async function publishVersion(
  tx: Db,
  asking: Asking,
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

/** An input may refer to instances of a definition that is published later; until then nothing can be named there. */
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

/** Builders that make images, and no files. */
const ofImages: readonly unknown[] = ['dockerfile', 'railpack', 'nixpacks']

/** What is kept for those who read it, and does nothing here. */
function withoutEffect(config: Record<string, unknown>): string[] {
  const build = membersOf(config.build)
  if (build.type === 'disabled') return []
  const isWithout = build.type !== 'image' && ofImages.includes(membersOf(build.builder).type)
  return isWithout ? ['$.data.config.build: is kept and not carried out'] : []
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** What clients and those between take of a header in any case. Characters. */
const longestHeader = 4096

/** A list in JSON, in the letters that a header may have; cut where it is long. */
function headerOf(warnings: readonly string[]): string {
  for (let count = warnings.length; count > 0; count -= 1) {
    const left = warnings.length - count
    const shown = left > 0 ? [...warnings.slice(0, count), `${left} more`] : warnings
    const text = JSON.stringify(shown).replaceAll(/[^ -~]/g, (letter) => {
      return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
    if (text.length <= longestHeader) return text
  }
  return JSON.stringify([`${warnings.length} warnings`])
}

function refuseFaults(faults: string[]): void {
  if (faults.length === 0) return
  throw new Refusal('moduleConfigInvalid', 'The config cannot be published; the details name every fault.', {
    details: listed('Config', faults),
  })
}
