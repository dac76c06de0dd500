import { permissionsOn } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import { accessOfPrincipal } from '../../projects/role-grants/access.ts'
import { inWords as freezeInWords, type Stop, stopping } from '../freezes/machine.ts'
import { freezesOf } from '../freezes/store.ts'
import { holding, inWords as holdsInWords } from '../holds/machine.ts'
import { holdsOn } from '../holds/store.ts'
import type { Gates } from './machine.ts'
import type { PromotionRuleRow } from './tables.ts'

/** What holds an instance, and what freezes it, in words. */
export type Stops = { heldBy: string | undefined; frozenBy: { words: string; stop: Stop } | undefined }

type Place = { organizationId: string; projectId: string; environmentId: string; moduleInstanceId: string }

export async function stopsAt(db: Db, { organizationId, ...place }: Place, now: Date): Promise<Stops> {
  const [hold, ...holds] = holding(await holdsOn(db, organizationId, place), place)
  const stop = stopping(await freezesOf(db, organizationId, now), { act: 'RELEASES', place, now })
  return {
    heldBy: hold && holdsInWords([hold, ...holds]),
    frozenBy: stop && { words: freezeInWords(stop), stop },
  }
}

/** The same, and whether who wrote the rule may still deploy in both places. */
export async function gatesOf(
  db: Db,
  { organizationId, projectId, fromEnvironmentId, environmentId, writtenById }: PromotionRuleRow,
  { heldBy, frozenBy }: Stops,
): Promise<Gates> {
  const access = await accessOfPrincipal(db, organizationId, writtenById)
  const writerMay = [fromEnvironmentId, environmentId].every(
    (id) => access && permissionsOn(access, { projectId, environmentId: id }).has('deployments:write'),
  )
  return { heldBy, frozenBy: frozenBy?.words, writerMay }
}
