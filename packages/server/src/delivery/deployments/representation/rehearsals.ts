import { hasRehearsalPassed } from '@sluice/contract'
import type { Subject } from '../../../gates/policy-subjects.ts'
import { and, desc, eq, inArray, isNull } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import { rehearsals, scenariosWithoutTimelines } from '../../rehearsals/tables.ts'
import type { NewDeployment } from '../store/store.ts'
import { releaseHash } from './release-hash.ts'

type Rehearsed = Pick<NewDeployment, 'moduleInstanceId' | 'release'>

/** Returns the latest rehearsal of exactly what each deployment releases, as a variable of policy expressions. */
export async function loadRehearsals(
  db: Db,
  organizationId: string,
  rows: readonly Rehearsed[],
): Promise<(row: Rehearsed) => Subject> {
  const { id, moduleInstanceId, releaseHash: hash, status, completedAt } = rehearsals
  const found = await db
    .selectDistinctOn([moduleInstanceId, hash], {
      id,
      moduleInstanceId,
      hash,
      status,
      completedAt,
      scenarios: scenariosWithoutTimelines,
    })
    .from(rehearsals)
    .where(
      and(
        eq(rehearsals.organizationId, organizationId),
        inArray(moduleInstanceId, [...new Set(rows.map((row) => row.moduleInstanceId))]),
        inArray(hash, [...new Set(rows.map(({ release }) => releaseHash(release)))]),
      ),
    )
    // A finished rehearsal counts until the next one has finished.
    .orderBy(moduleInstanceId, hash, isNull(completedAt), desc(id))
  const keyOf = (instanceId: string, ofRelease: string | null) => `${instanceId} ${ofRelease}`
  const known = new Map(found.map((one) => [keyOf(one.moduleInstanceId, one.hash), one]))
  return (row) => {
    const one = known.get(keyOf(row.moduleInstanceId, releaseHash(row.release)))
    if (!one) return { status: 'NONE', scenarios: [] }
    const { completedAt: endedAt } = one
    if (!endedAt) return { status: 'IN_PROGRESS', id: one.id, scenarios: [] }
    const scenarios = one.scenarios.map(({ name, outcome, errorSeconds }) => present({ name, outcome, errorSeconds }))
    const passed = hasRehearsalPassed(one) ? 'PASSED' : 'FAILED'
    return { status: passed, id: one.id, completedAt: endedAt.toISOString(), scenarios }
  }
}
