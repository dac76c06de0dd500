import type { CloudClients } from '../../cloud/access.ts'
import { CloudRefusal } from '../../cloud/answer.ts'
import { diagnose } from '../../cloud/diagnose.ts'
import {
  continueHook,
  findServiceDeployment,
  findTaskDefinition,
  findUpdate,
  readService,
  readServiceDeployment,
  registerTaskDefinition,
  stopServiceDeployment,
  type UpdateRequest,
  updateService,
} from '../../cloud/ecs.ts'
import { readListeners } from '../../cloud/elb.ts'
import { present } from '../../platform/present.ts'
import type { PollPace, Standing } from '../standing.ts'
import {
  type CloudAction,
  located,
  notFound,
  notYetLocated,
  prepared,
  registered,
  stopSent,
  updated,
} from './machine.ts'
import { continued, needsDiagnosis, type Observation, observed, trafficMayHaveMoved } from './observe.ts'

/** What carrying out an action needs to know besides the deployment itself. */
export type Situation = {
  clients: CloudClients
  pace: PollPace
  clock: () => Date
  /**
   * Called just before a request that changes the cloud. Throws when too long has passed since the row was read to do
   * that on the strength of it.
   */
  beforeSend: () => void
}

/** Does the one thing in the cloud and returns where the deployment stands then. The cloud's refusals and troubles are thrown. */
export async function carryOut(action: CloudAction, standing: Standing, situation: Situation): Promise<Standing> {
  const { clock } = situation
  switch (action.do) {
    case 'prepare':
      return prepared(standing, await readService(situation.clients.ecs, standing.release), clock())
    case 'register':
      return register(standing, action.look, situation)
    case 'update':
      return update(standing, situation)
    case 'find':
      return find(standing, situation)
    case 'locate':
      return locate(standing, situation)
    case 'observe':
      return observed(standing, await look(standing, situation), situation.pace, clock())
    case 'continue':
      return goOnFrom(standing, action.hookId, situation)
    case 'stop':
      return stop(standing, situation)
  }
}

async function register(
  standing: Standing,
  mayBeDone: boolean,
  { clients, clock, beforeSend }: Situation,
): Promise<Standing> {
  const { taskDefinition } = standing.release
  if ('reuse' in taskDefinition) throw new Error(`deployment ${standing.id} has nothing to register`)
  const { register: request } = taskDefinition
  const done = mayBeDone ? await findTaskDefinition(clients.ecs, String(request.family), standing.id) : undefined
  if (done) return registered(standing, done, clock())
  beforeSend()
  return registered(standing, await registerTaskDefinition(clients.ecs, request, standing.id), clock())
}

async function update(standing: Standing, { clients, clock, beforeSend }: Situation): Promise<Standing> {
  return updated(standing, await updateService(clients.ecs, updateOf(standing), beforeSend), clock())
}

async function find(standing: Standing, { clients, pace, clock }: Situation): Promise<Standing> {
  const found = await findUpdate(clients.ecs, updateOf(standing))
  return found === undefined ? notFound(standing, pace, clock()) : updated(standing, found, clock())
}

function updateOf({ id, release, progress }: Standing): UpdateRequest {
  const { taskDefinitionArn, primaryBefore: before, newestBefore } = progress
  if (taskDefinitionArn === undefined) throw new Error(`deployment ${id} has no task definition`)
  return { release, taskDefinitionArn, before, newestBefore }
}

async function locate(standing: Standing, { clients, pace, clock }: Situation): Promise<Standing> {
  const { release, externalDeploymentId } = standing
  const arn = await findServiceDeployment(clients.ecs, release, externalDeploymentId ?? '')
  return arn === undefined ? notYetLocated(standing, pace, clock()) : located(standing, arn, clock())
}

async function look(standing: Standing, { clients, clock }: Situation): Promise<Observation> {
  const { release, data, externalDeploymentId } = standing
  const snapshot = await readServiceDeployment(clients.ecs, data.serviceDeploymentArn ?? '', clock())
  const [listeners, diagnosis] = await Promise.all([
    release.trafficShift && trafficMayHaveMoved(standing, snapshot)
      ? readListeners(clients.elb, release.trafficShift, clock())
      : undefined,
    needsDiagnosis(standing, snapshot) ? diagnose(clients, release, externalDeploymentId ?? '') : undefined,
  ])
  return present({ snapshot, listeners, diagnosis })
}

/** Always looks first: the pause may have ended meanwhile, or an earlier attempt may have been heard. */
async function goOnFrom(standing: Standing, hookId: string, situation: Situation): Promise<Standing> {
  const { clients, pace, clock, beforeSend } = situation
  const observation = await look(standing, situation)
  const isWaiting = observation.snapshot.hooks.some(
    (hook) => hook.hookId === hookId && hook.status === 'AWAITING_ACTION',
  )
  const seen = observed(standing, observation, pace, clock())
  if (!isWaiting || seen.status !== 'IN_PROGRESS') return seen
  beforeSend()
  await continueHook(clients.ecs, standing.data.serviceDeploymentArn ?? '', hookId)
  return continued(seen, hookId, clock())
}

/** Always looks first: a release that is over or turns back already is not to be stopped any more. */
async function stop(standing: Standing, situation: Situation): Promise<Standing> {
  const { clients, pace, clock, beforeSend } = situation
  const observation = await look(standing, situation)
  const seen = observed(standing, observation, pace, clock())
  if (!stoppable.includes(observation.snapshot.state.status)) return seen
  beforeSend()
  try {
    await stopServiceDeployment(clients.ecs, standing.data.serviceDeploymentArn ?? '')
  } catch (error) {
    if (!(error instanceof CloudRefusal) || error.reason === 'AccessDeniedException') throw error
  }
  return stopSent(seen, clock())
}

const stoppable = ['PENDING', 'IN_PROGRESS', 'STOP_REQUESTED']
