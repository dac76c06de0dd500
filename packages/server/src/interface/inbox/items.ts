import type { InboxItem } from '@sluice/contract'
import { pendingPause } from '@sluice/contract/states'
import { approvalIn } from '../../delivery/deployments/approvals/included.ts'
import type { ReleaseDigests } from '../../delivery/deployments/approvals/release-digest.ts'
import { serializeDeployment } from '../../delivery/deployments/representation/deployment.ts'
import { approvalIn as approvalOfVersion } from '../../pipelines/pipeline-versions/approvals.ts'
import { approvalOfStep } from '../../pipelines/step-approvals/included.ts'
import { permissionsOn } from '../../platform/auth/access.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { failedDeployments, failedRuns, openHolds, waitingDeployments, waitingSteps, waitingVersions } from './store.ts'

type Asking = { db: Db; caller: Caller; releaseDigests: ReleaseDigests; now: Date }

/** Returns what waits for a decision that the caller can make and has not made, longest waiting first. */
export async function pendingDecisions(asking: Asking): Promise<InboxItem[]> {
  const found = [await deployments(asking), await steps(asking), await versions(asking), await held(asking)].flat()
  return found.toSorted((one, other) => one.at.localeCompare(other.at))
}

async function deployments(asking: Asking): Promise<InboxItem[]> {
  const { db, caller } = asking
  const items: InboxItem[] = []
  for (const found of await waitingDeployments(db, caller.organizationId)) {
    const { row, project } = found
    const about = { id: row.id, title: placeOf(found), project }
    if (row.status === 'IN_PROGRESS') {
      const pause = pendingPause(serializeDeployment(row))
      // Running checks decide about the pause, unless they gave up.
      const isChecked = row.data.analysis?.some(
        ({ hookId, outcome }) => hookId === pause?.hookId && outcome === 'RUNNING',
      )
      if (!pause || isChecked || !permissionsOn(caller.access, row).has('approvals:write')) continue
      items.push(present({ ...about, type: 'PAUSE' as const, at: pause.startedAt, message: pause.message }))
      continue
    }
    const { isPending, requestedAt, caller: own } = await approvalIn(db, caller, row, asking)
    if (!isPending || requestedAt === undefined || !own.canDecide || own.hasApproved) continue
    items.push({ ...about, type: 'DEPLOYMENT_APPROVAL', at: requestedAt })
  }
  return items
}

async function steps({ db, caller, now }: Asking): Promise<InboxItem[]> {
  const items: InboxItem[] = []
  for (const found of await waitingSteps(db, caller.organizationId)) {
    const { row, project } = found
    const { canDecide, hasApproved } = (await approvalOfStep(db, caller, row, now)).caller
    if (!row.approval || !canDecide || hasApproved) continue
    const title = `${row.stepName} · ${runOf(found)}`
    const { requestedAt: at } = row.approval
    items.push({ type: 'STEP_APPROVAL', id: row.id, title, project, at, pipelineRunId: row.pipelineRunId })
  }
  return items
}

async function versions({ db, caller, now }: Asking): Promise<InboxItem[]> {
  const items: InboxItem[] = []
  for (const { version, run, pipeline, projectId, project } of await waitingVersions(db, caller.organizationId)) {
    const { isPending, caller: own } = await approvalOfVersion(db, caller, version, { projectId, now })
    if (!isPending || !own.canDecide || own.hasApproved) continue
    const about = { id: version.id, title: `${pipeline} · version ${version.version}`, project, pipelineRunId: run.id }
    items.push({ type: 'VERSION_APPROVAL', at: run.createdAt.toISOString(), ...about })
  }
  return items
}

async function held({ db, caller }: Asking): Promise<InboxItem[]> {
  const found = await openHolds(db, caller.organizationId)
  const own = found.filter(({ row }) => permissionsOn(caller.access, row).has('holds:write'))
  return own.map(({ row, project, ...names }) =>
    present({
      type: 'HOLD' as const,
      id: row.id,
      title: placeOf(names),
      project,
      at: row.createdAt.toISOString(),
      message: `${row.heldBy}: ${row.reason}`,
      moduleInstanceId: row.moduleInstanceId ?? undefined,
    }),
  )
}

/** Returns the failures since then, latest first. */
export async function recentFailures(db: Db, organizationId: string, since: Date): Promise<InboxItem[]> {
  const releases = (await failedDeployments(db, organizationId, since)).map((one) => ({
    type: 'FAILED_DEPLOYMENT' as const,
    title: placeOf(one),
    ...ended(one),
  }))
  const runs = (await failedRuns(db, organizationId, since)).map((one) => ({
    type: 'FAILED_RUN' as const,
    title: runOf(one),
    ...ended(one),
  }))
  return [...releases, ...runs].toSorted((one, other) => other.at.localeCompare(one.at))
}

type Ended = { id: string; project: string; completedAt: Date | null; error: { message?: string } | null }

function ended({ id, project, completedAt, error }: Ended): Pick<InboxItem, 'id' | 'project' | 'at' | 'message'> {
  if (!completedAt) throw new Error(`${id} failed and has no end`)
  return present({ id, project, at: completedAt.toISOString(), message: error?.message })
}

const placeOf = ({ instance, environment }: { instance: string | null; environment: string }): string =>
  instance === null ? `All of ${environment}` : `${instance} · ${environment}`

const runOf = ({ pipeline, number }: { pipeline: string; number: number }): string => `${pipeline} #${number}`
