import { nameOf, placeOf, scopeOfArn } from './arns.ts'
import type { CallFilter, CallLog } from './calls.ts'
import { type Behaviour, behaviours } from './ecs/images.ts'
import { remainingTasks } from './ecs/scheduler.ts'
import { describe } from './ecs/service-deployments.ts'
import { describeService } from './ecs/service-shape.ts'
import { CloudError } from './errors.ts'
import { type FaultKind, faultKinds } from './faults.ts'
import { digits } from './ids.ts'
import { parseJson } from './wire/json.ts'
import type { World } from './world.ts'

interface ControlAnswer {
  status: number
  value?: unknown
}

/** The wire of the control interface, request bodies by route; `SimControl` speaks it. */
export interface ControlBodies {
  advance: { seconds: number }
  speed: { speed: number }
  role: { roleArn: string; externalId?: string; deny?: string[]; maxSessionSeconds?: number }
  image: { pattern: string; behaviour: Behaviour; times?: number }
  command: { pattern: string; exitCode?: number; seconds?: number; times?: number }
  agent: { instanceId: string; status: 'Online' | 'ConnectionLost' }
  fault: {
    kind: FaultKind
    operation?: string
    service?: string
    account?: string
    times?: number
    delayMs?: number
    probability?: number
  }
  delivery: { account: string; url: string; headers?: Record<string, string> }
  deliveryFaults: { drop?: number; duplicate?: number; delayMs?: number; shuffle?: boolean }
}

interface Request {
  world: World
  calls: CallLog
  url: URL
  body: object
}

type Route = (request: Request) => unknown

const badRequest = (message: string) => new CloudError('BadRequest', message)

/** What `/_sim/` answers, by method and path. */
const routes: Record<string, Route> = {
  'GET health': () => ({ status: 'ok' }),
  'POST reset': ({ world, calls }) => {
    world.reset()
    calls.clear()
  },
  'GET speed': ({ world }) => ({ speed: world.clock.setting.speed }),
  'PUT speed': ({ world, body }) => {
    const { speed } = body as ControlBodies['speed']
    if (!(speed > 0 && speed <= 1e6)) throw badRequest('speed must be a number above 0 and up to 1000000.')
    world.changeSpeed(speed)
    return { speed }
  },
  'POST clock/advance': ({ world, body }) => {
    const { seconds } = body as ControlBodies['advance']
    if (!(seconds >= 0)) throw badRequest('seconds must be a number of at least 0.')
    world.advance(seconds)
    return { now: new Date(world.clock.timestamp()).toISOString() }
  },
  'GET timing': ({ world }) => world.timing,
  'PUT timing': ({ world, body }) => {
    const unknown = Object.entries(body).find(([name, value]) => !(name in world.timing) || !(Number(value) >= 0))
    if (unknown) throw badRequest(`${unknown[0]} is no timing, or not a number of at least 0.`)
    world.changeTiming(body)
    return world.timing
  },
  'PUT roles': ({ world, body }) => {
    const { roleArn, externalId, deny = [], maxSessionSeconds = 3600 } = body as ControlBodies['role']
    if (!/^arn:aws:iam::\d{12}:role\/.+$/.test(roleArn)) throw badRequest('roleArn must be the ARN of a role.')
    const there = world.roles.get(roleArn)
    if (there) world.roles.remove(there)
    world.roles.save({ key: roleArn, externalId, deny, maxSessionSeconds })
  },
  'PUT images': ({ world, body }) => {
    const { pattern, behaviour, times } = body as ControlBodies['image']
    if (!pattern) throw badRequest('pattern must be given.')
    if (!behaviours.includes(behaviour)) throw badRequest(`behaviour must be one of ${behaviours.join(', ')}.`)
    const there = world.imageRules.get(pattern)
    if (there) world.imageRules.remove(there)
    world.imageRules.save({ key: pattern, behaviour, times })
  },
  'DELETE images': ({ world }) => world.imageRules.clear(),
  'PUT commands': ({ world, body }) => {
    const { pattern, exitCode, seconds, times } = body as ControlBodies['command']
    if (!pattern) throw badRequest('pattern must be given.')
    if (exitCode !== undefined && !(exitCode >= 0 && exitCode <= 255)) {
      throw badRequest('exitCode must be a number from 0 to 255.')
    }
    if (seconds !== undefined && !(seconds >= 0)) throw badRequest('seconds must be a number of at least 0.')
    const there = world.commandRules.get(pattern)
    if (there) world.commandRules.remove(there)
    world.commandRules.save({ key: pattern, exitCode, seconds, times })
  },
  'DELETE commands': ({ world }) => world.commandRules.clear(),
  'PUT agents': ({ world, body }) => {
    const { instanceId, status } = body as ControlBodies['agent']
    const instance = world.instances.get(instanceId)
    if (!instance) throw badRequest(`There is no instance ${instanceId}.`)
    if (status !== 'Online' && status !== 'ConnectionLost') throw badRequest('status must be Online or ConnectionLost.')
    world.instances.save(Object.assign(instance, { agent: status }))
  },
  'GET instances': ({ world }) =>
    [...world.instances.all()].map(({ key, groupArn, state, agent, runs, credential }) => ({
      instanceId: key,
      group: nameOf(groupArn),
      state,
      agent,
      runs,
      credential,
    })),
  'POST faults': ({ world, body }) => {
    const fault = body as ControlBodies['fault']
    if (!faultKinds.includes(fault.kind)) throw badRequest(`kind must be one of ${faultKinds.join(', ')}.`)
    world.faults.save({ ...fault, key: digits(12) })
  },
  'GET faults': ({ world }) => [...world.faults.all()],
  'DELETE faults': ({ world }) => world.faults.clear(),
  'PUT delivery': ({ world, body }) => {
    const { account, url, headers = {} } = body as ControlBodies['delivery']
    if (!/^\d{12}$/.test(account)) throw badRequest('account must be a twelve-digit account number.')
    if (!URL.canParse(url)) throw badRequest('url must be an absolute URL.')
    world.delivery.putTarget({ account, url, headers })
  },
  'GET delivery': ({ world }) => ({
    targets: world.delivery.targets().map(({ account, url }) => ({ account, url })),
    faults: world.delivery.faults,
    pending: world.delivery.pending,
  }),
  'DELETE delivery': ({ world, url }) => world.delivery.removeTargets(url.searchParams.get('account') ?? undefined),
  'PUT delivery/faults': ({ world, body }) => world.delivery.setFaults(body as ControlBodies['deliveryFaults']),
  'GET calls': ({ calls, url }) => calls.list(callFilter(url.searchParams)),
  'DELETE calls': ({ calls }) => calls.clear(),
}

export async function answerControl(
  world: World,
  calls: CallLog,
  method: string,
  url: URL,
  body: string,
): Promise<ControlAnswer> {
  const path = url.pathname.slice('/_sim/'.length)
  const route =
    routes[`${method} ${path}`] ?? (method === 'GET' && path.startsWith('services/') ? viewService : undefined)
  if (!route) return { status: 404, value: { error: `There is no ${method} /_sim/${path}.` } }
  try {
    const value = await world.transact(() => route({ world, calls, url, body: parseJson(body) }))
    return value === undefined ? { status: 204 } : { status: 200, value }
  } catch (error) {
    if (error instanceof CloudError) return { status: error.status, value: { error: error.message } }
    throw error
  }
}

/** `GET /_sim/services/:account/:cluster/:service`: all there is to see of a service, for people. */
function viewService({ world, url }: Request) {
  const [account, cluster, name] = url.pathname.slice('/_sim/services/'.length).split('/')
  const isWanted = (arn: string) =>
    placeOf(scopeOfArn(arn)).account === account && arn.endsWith(`:service/${cluster}/${name}`)
  const service = [...world.services.all()].find(({ key }) => isWanted(key))
  if (!service)
    throw new CloudError('NotFound', `There is no service ${name} in cluster ${cluster} of account ${account}.`, 404)
  return {
    service: describeService(world, service, true),
    deployments: world.serviceDeployments
      .having('service', service.key)
      .map((deployment) => describe(world, deployment)),
    tasks: service.live.flatMap((arn) => remainingTasks(world, arn)),
  }
}

function callFilter(query: URLSearchParams): CallFilter {
  const text = Object.fromEntries(
    ['operation', 'service', 'account', 'resource'].flatMap((name) => {
      const value = query.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  const accepted = query.get('accepted')
  const limit = query.get('limit')
  return {
    ...text,
    since: Number(query.get('since') ?? 0),
    ...(accepted === null ? {} : { accepted: accepted === 'true' }),
    ...(limit === null ? {} : { limit: Number(limit) }),
  }
}
