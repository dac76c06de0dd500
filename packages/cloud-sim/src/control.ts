import type { CallFilter, CallLog } from './calls.ts'
import type { ControlBodies } from './control-bodies.ts'
import { badRequest, type ControlRoutes } from './control-routes.ts'
import { CloudError } from './errors.ts'
import { faultKinds, faults } from './faults.ts'
import { digits } from './ids.ts'
import { services } from './services.ts'
import { calm } from './weather.ts'
import { parseJson } from './wire/json.ts'
import type { HttpRequest } from './wire/protocol.ts'
import { createRouter } from './wire/router.ts'
import type { World } from './world.ts'

interface ControlAnswer {
  status: number
  value?: unknown
}

/** Control routes that do not depend on the simulated services. */
const core: ControlRoutes = {
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
  'GET weather': ({ world }) => world.weather,
  'PUT weather': ({ world, body }) => {
    const unknown = Object.entries(body).find(([name, value]) => !isWeather(name, value))
    if (unknown) throw badRequest(`${unknown[0]} is no weather, or not a number of at least 0, or true or false.`)
    world.changeWeather(body)
    return world.weather
  },
  'POST faults': ({ world, body }) => {
    const fault = body as ControlBodies['fault']
    if (!faultKinds.includes(fault.kind)) throw badRequest(`kind must be one of ${faultKinds.join(', ')}.`)
    if (fault.kind === 'slow' && world.isManual) throw badRequest('A cloud without real time has no slow answers.')
    if (fault.kind === 'error' && !(fault.code && (fault.status ?? 0) >= 400)) {
      throw badRequest('An error has a code, and a status of at least 400.')
    }
    faults(world).save({ ...fault, key: digits(12) })
  },
  'GET faults': ({ world }) => [...faults(world).all()],
  'DELETE faults': ({ world }) => faults(world).clear(),
  'GET calls': ({ calls, url }) => calls.list(callFilter(url.searchParams)),
  'DELETE calls': ({ calls }) => calls.clear(),
}

/** Reports whether a value is valid for a setting of random faults. */
const isWeather = (name: string, value: unknown) => {
  const usual = Object.entries(calm).find(([known]) => known === name)?.[1]
  return typeof value === typeof usual && (typeof value !== 'number' || value >= 0)
}

/** All routes of the control API. */
export const controlRoutes: ControlRoutes = Object.assign(
  {},
  core,
  ...Object.values(services).map(({ control }) => control),
)

const route = createRouter(
  Object.keys(controlRoutes).map((operation) => ({ operation, http: operation.replace(' ', ' /_sim/') })),
)

export async function answerControl(
  world: World,
  calls: CallLog,
  { method, url, headers, body }: HttpRequest,
): Promise<ControlAnswer> {
  const match = route({ method, url, headers })
  const work = match && controlRoutes[match.operation]
  if (!work) return { status: 404, value: { error: `There is no ${method} ${url.pathname}.` } }
  try {
    const value = await world.run(() =>
      work({ world, calls, url, labels: match.labels, body: parseJson(body.toString('utf8')) }),
    )
    return value === undefined ? { status: 204 } : { status: 200, value }
  } catch (error) {
    if (error instanceof CloudError) return { status: error.status, value: { error: error.message } }
    throw error
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
