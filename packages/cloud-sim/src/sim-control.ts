import type { Call, CallFilter } from './calls.ts'
import type { ControlBodies } from './control-bodies.ts'
import type { DeliveryFaults } from './events/delivery.ts'
import type { Timing } from './timing.ts'
import type { Weather } from './weather.ts'

export interface InstanceSnapshot {
  instanceId: string
  group: string
  state: 'Pending' | 'InService' | 'Terminating'
  agent: 'absent' | 'Online' | 'ConnectionLost'
  runs?: string
  /** Git credential that a script on it last used. */
  credential?: string
}

/** Sends a control request and returns the status and text of the response. */
export type SendControl = (method: string, path: string, body?: string) => Promise<{ status: number; text: string }>

/** Typed client for a simulated cloud's control API. */
export class SimControl {
  readonly url: string
  readonly #sendControl: SendControl

  /** Creates a client. Without `send`, requests go to the URL. */
  constructor(url: string, send: SendControl = overHttp(url)) {
    this.url = url
    this.#sendControl = send
  }

  health = () => this.#ask<{ status: 'ok' }>('GET', 'health')
  /** Resets everything but the clock. */
  reset = () => this.#tell('POST', 'reset', {})
  speed = () => this.#ask<{ speed: number }>('GET', 'speed')
  setSpeed = (speed: number) => this.#tell('PUT', 'speed', { speed } satisfies ControlBodies['speed'])
  /** Advances cloud time by `seconds`. Resolves after everything due by then has happened. */
  advance = (seconds: number) => this.#tell('POST', 'clock/advance', { seconds } satisfies ControlBodies['advance'])
  timing = () => this.#ask<Timing>('GET', 'timing')
  setTiming = (timing: Partial<Timing>) => this.#tell('PUT', 'timing', timing)
  weather = () => this.#ask<Weather>('GET', 'weather')
  /** Enables effects that occur in AWS: eventual consistency, metric delays, rate limits and shuffled lists. */
  setWeather = (weather: Partial<Weather>) => this.#tell('PUT', 'weather', weather)
  putRole = (role: ControlBodies['role']) => this.#tell('PUT', 'roles', role)
  putImage = (image: ControlBodies['image']) => this.#tell('PUT', 'images', image)
  moveTag = (tag: ControlBodies['tag']) => this.#tell('PUT', 'tags', tag)
  clearImages = () => this.#tell('DELETE', 'images')
  putCommand = (command: ControlBodies['command']) => this.#tell('PUT', 'commands', command)
  clearCommands = () => this.#tell('DELETE', 'commands')
  /** Sets whether commands reach an instance's agent. */
  putAgent = (agent: ControlBodies['agent']) => this.#tell('PUT', 'agents', agent)
  /** Returns the instances of all groups with the image or script that each runs. */
  instances = () => this.#ask<InstanceSnapshot[]>('GET', 'instances')
  putNetwork = (network: ControlBodies['network']) => this.#tell('PUT', 'networks', network)
  putRepository = (repository: ControlBodies['repository']) => this.#tell('PUT', 'repositories', repository)
  putRegistry = (registry: ControlBodies['registry']) => this.#tell('PUT', 'registry', registry)
  addFault = (fault: ControlBodies['fault']) => this.#tell('POST', 'faults', fault)
  clearFaults = () => this.#tell('DELETE', 'faults')
  putDelivery = (delivery: ControlBodies['delivery']) => this.#tell('PUT', 'delivery', delivery)
  delivery = () =>
    this.#ask<{ targets: { account: string; url: string }[]; faults: DeliveryFaults; pending: number }>(
      'GET',
      'delivery',
    )
  /** Removes the delivery targets of an account, or all of them. */
  removeDelivery = (account?: string) => this.#tell('DELETE', `delivery${account ? `?account=${account}` : ''}`)
  setDeliveryFaults = (faults: ControlBodies['deliveryFaults']) => this.#tell('PUT', 'delivery/faults', faults)
  clearCalls = () => this.#tell('DELETE', 'calls')
  /** Returns everything about a service for inspection. */
  service = (account: string, cluster: string, service: string) =>
    this.#ask<object>('GET', `services/${account}/${cluster}/${service}`)

  /** Returns recorded calls in order, by default at most 1000. */
  calls(filter: CallFilter = {}): Promise<Call[]> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value))
    return this.#ask<Call[]>('GET', `calls?${query}`)
  }

  async #tell(method: string, path: string, body?: object): Promise<void> {
    await this.#send(method, path, body)
  }

  async #ask<T>(method: string, path: string): Promise<T> {
    return JSON.parse(await this.#send(method, path)) as T
  }

  async #send(method: string, path: string, body?: object): Promise<string> {
    const { status, text } = await this.#sendControl(method, `/_sim/${path}`, body && JSON.stringify(body))
    if (status >= 300) throw new Error(`${method} /_sim/${path}: ${status} ${text}`)
    return text
  }
}

const overHttp =
  (url: string): SendControl =>
  async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, { method, ...(body === undefined ? {} : { body }) })
    return { status: answer.status, text: await answer.text() }
  }
