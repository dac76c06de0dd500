import type { ValueOption } from '@sluice/contract'
import { certificates } from '../../cloud/certificates/tables.ts'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { isReady } from '../../cloud/execution-environments/machine.ts'
import { listRunnerTools } from '../../cloud/execution-environments/runner-tools.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { and, asc, eq, isNotNull } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { domains } from '../../projects/domains/tables.ts'
import { versionsOf } from './tables.ts'

/** Maximum number of options in a form. */
const maxOptions = 1_000

/** Returns the connected accounts as options. */
export async function cloudAccountOptions(db: Db, organizationId: string): Promise<ValueOption[]> {
  const rows = await db
    .select({ id: cloudAccounts.id, name: cloudAccounts.name, number: cloudAccounts.cloudId })
    .from(cloudAccounts)
    .where(and(eq(cloudAccounts.organizationId, organizationId), eq(cloudAccounts.status, 'CONNECTED')))
    .orderBy(asc(cloudAccounts.name), asc(cloudAccounts.id))
    .limit(maxOptions)
  return rows.map(({ id, name, number }) => ({ value: id, label: number ? `${name} (${number})` : name }))
}

export async function executionEnvironmentOptions(
  db: Db,
  organizationId: string,
  { cloudAccountId, region }: { cloudAccountId?: string; region?: string },
): Promise<ValueOption[]> {
  const where = and(
    eq(executionEnvironments.organizationId, organizationId),
    cloudAccountId ? eq(executionEnvironments.cloudAccountId, cloudAccountId) : undefined,
    region ? eq(executionEnvironments.region, region) : undefined,
  )
  const rows = await db
    .select()
    .from(executionEnvironments)
    .where(where)
    .orderBy(asc(executionEnvironments.name), asc(executionEnvironments.id))
    .limit(maxOptions)
  return rows.map((row) => {
    const { id, name, region } = row
    const description = [isReady(row) ? undefined : notReady, row.description].filter(Boolean).join(' ')
    return {
      value: id,
      label: region === null ? name : `${name} (${region})`,
      ...(description !== '' && { description }),
    }
  })
}

const notReady = "Not ready: its steps run on the installation's own runners."

/** Returns certificates as options, by ARN. */
export async function certificateOptions(
  db: Db,
  organizationId: string,
  { cloudAccountId, region }: { cloudAccountId?: string; region?: string },
): Promise<ValueOption[]> {
  const where = and(
    eq(certificates.organizationId, organizationId),
    eq(certificates.status, 'ISSUED'),
    isNotNull(certificates.arn),
    cloudAccountId ? eq(certificates.cloudAccountId, cloudAccountId) : undefined,
    region ? eq(certificates.region, region) : undefined,
  )
  const rows = await db
    .select()
    .from(certificates)
    .where(where)
    .orderBy(asc(certificates.names), asc(certificates.id))
    .limit(maxOptions)
  return rows.map(({ arn, names, region, expiresSoon }) => ({
    value: arn ?? '',
    label: `${names.join(', ')} (${region})`,
    ...(expiresSoon && { description: 'It ends soon.' }),
    fields: { names, region },
  }))
}

/** Returns the versions of an IaC tool as options, those of the available runners first. */
export async function toolVersionOptions(
  db: Db,
  tool: 'iac' | 'iac_alt',
  { executionEnvironmentId }: { executionEnvironmentId?: string },
): Promise<ValueOption[]> {
  const tools = await listRunnerTools(db, executionEnvironmentId)
  return versionsOf(
    tool,
    tools.flatMap((one) => one[tool]),
  )
}

export async function domainOptions(
  db: Db,
  organizationId: string,
  { environmentId }: { environmentId?: string },
): Promise<ValueOption[]> {
  const rows = await db
    .select()
    .from(domains)
    .where(
      and(
        eq(domains.organizationId, organizationId),
        environmentId ? eq(domains.environmentId, environmentId) : undefined,
      ),
    )
    .orderBy(asc(domains.name))
    .limit(maxOptions)
  return rows.map(({ name, description }) => ({ value: name, label: name, ...(description && { description }) }))
}
