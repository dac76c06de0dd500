import { hasRehearsalPassed } from '@sluice/contract'
import type { Subject } from '../../../gates/policy-subjects.ts'
import { and, desc, eq, inArray, isNull, ne, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import { rehearsals, scenariosWithoutTimelines } from '../../rehearsals/tables.ts'
import type { NewDeployment } from '../store/store.ts'
import { releaseHash } from './release-hash.ts'

const none: Subject = { status: 'NONE', scenarios: [] }

type Rehearsed = Pick<NewDeployment, 'moduleInstanceId' | 'release'>

/** Returns the latest rehearsal of exactly what each deployment releases, as a variable of policy expressions. */
export async function loadRehearsals(
  db: Db,
  organizationId: string,
  rows: readonly Rehearsed[],
): Promise<(row: Rehearsed) => Subject> {
  if (rows.length === 0) return () => none
  const { id, moduleInstanceId, releaseHash: hash, status, completedAt, scenarioNames } = rehearsals
  // The IDs are selected first, so that the large scenarios of other rehearsals are not read.
  const latest = db
    .selectDistinctOn([moduleInstanceId, hash], { id })
    .from(rehearsals)
    .where(
      and(
        eq(rehearsals.organizationId, organizationId),
        inArray(moduleInstanceId, [...new Set(rows.map((row) => row.moduleInstanceId))]),
        inArray(hash, [...new Set(rows.map(({ release }) => releaseHash(release)))]),
        // Others do not show whether the release works.
        sql`'NO_FAULT' = any(${scenarioNames})`,
      ),
    )
    // A completed rehearsal counts until the next one completes.
    .orderBy(moduleInstanceId, hash, ne(status, 'SUCCESS'), isNull(completedAt), desc(id))
  const found = await db
    .select({ id, moduleInstanceId, hash, status, completedAt, scenarios: scenariosWithoutTimelines })
    .from(rehearsals)
    .where(inArray(id, latest))
  const keyOf = (instanceId: string, ofRelease: string | null) => `${instanceId} ${ofRelease}`
  const known = new Map(found.map((one) => [keyOf(one.moduleInstanceId, one.hash), one]))
  return (row) => {
    const one = known.get(keyOf(row.moduleInstanceId, releaseHash(row.release)))
    if (!one) return none
    const { completedAt: endedAt } = one
    if (!endedAt) return { status: 'IN_PROGRESS', id: one.id, scenarios: [] }
    const scenarios = one.scenarios.map(({ name, outcome, errorSeconds }) => present({ name, outcome, errorSeconds }))
    const passed = hasRehearsalPassed(one) ? 'PASSED' : 'FAILED'
    return { status: passed, id: one.id, completedAt: endedAt.toISOString(), scenarios }
  }
}
