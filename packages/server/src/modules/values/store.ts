import type { ValueOption } from '@sluice/contract'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { isReady } from '../../cloud/execution-environments/machine.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { and, asc, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

/** More than anybody picks from by hand. */
const mostOptions = 1_000

/** The accounts that can be used. */
export async function cloudAccountOptions(db: Db, organizationId: string): Promise<ValueOption[]> {
  const rows = await db
    .select({ id: cloudAccounts.id, name: cloudAccounts.name, number: cloudAccounts.cloudId })
    .from(cloudAccounts)
    .where(and(eq(cloudAccounts.organizationId, organizationId), eq(cloudAccounts.status, 'CONNECTED')))
    .orderBy(asc(cloudAccounts.name), asc(cloudAccounts.id))
    .limit(mostOptions)
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
    .limit(mostOptions)
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
