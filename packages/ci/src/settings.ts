import { CalledWrongly } from '@sluice/calls/called-wrongly'

/** What a job asks for. */
export type Settings = {
  url: string
  serviceAccount: string
  token: string
  target: { kind: 'instance' | 'pipeline'; name: string }
  inputs: Record<string, unknown>
  description: string
  waits: boolean
  timeoutMs: number
  cancels: boolean
  comments: boolean
  hostToken: string
}

/** The names under which the action and the component hand over what a job says. */
export const inputNames = [
  ...['url', 'service_account', 'token', 'instance', 'pipeline', 'inputs', 'description'],
  ...['wait', 'timeout_minutes', 'cancel', 'comment', 'host_token'],
] as const

/** Both hosts hand inputs over as INPUT_NAME. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const input = (name: string) => (env[`INPUT_${name.toUpperCase()}`] ?? '').trim()
  const [instance, pipeline] = [input('instance'), input('pipeline')]
  if ((instance === '') === (pipeline === '')) throw new CalledWrongly('Set either instance or pipeline.')
  const url = input('url')
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CalledWrongly('url is where Sluice is, such as https://sluice.example.com.')
  }
  const [serviceAccount, token] = [input('service_account'), input('token')]
  if (serviceAccount === '' && token === '') throw new CalledWrongly('Who calls? Set service_account, or token.')
  const minutes = Number(input('timeout_minutes') || '60')
  if (!(minutes > 0)) throw new CalledWrongly('timeout_minutes is a number above 0.')
  return {
    url: url.replace(/\/+$/, ''),
    serviceAccount,
    token,
    target: instance === '' ? { kind: 'pipeline', name: pipeline } : { kind: 'instance', name: instance },
    inputs: inputsIn(env.INPUT_INPUTS ?? ''),
    description: input('description') || 'Released from CI',
    waits: yesOrNo('wait', input('wait')),
    timeoutMs: minutes * 60_000,
    cancels: yesOrNo('cancel', input('cancel')),
    comments: yesOrNo('comment', input('comment')),
    hostToken: input('host_token') || env.SLUICE_HOST_TOKEN || '',
  }
}

function yesOrNo(name: string, word: string): boolean {
  if (word === '' || word === 'true') return true
  if (word === 'false') return false
  throw new CalledWrongly(`${name} is true or false.`)
}

/** Lines such as `image_ref=web:2`, a text, and `replicas:=3`, JSON. No files: texts of others come here, too. */
function inputsIn(text: string): Record<string, unknown> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line): [string, unknown] => {
    const { name, kind, value = '' } = /^\s*(?<name>[\w.-]+)(?<kind>:?=)(?<value>.*?)\s*$/.exec(line)?.groups ?? {}
    if (name === undefined) throw new CalledWrongly('Each line of inputs is name=text or name:=JSON.')
    return [name, kind === ':=' ? jsonOf(name, value) : value]
  })
  return Object.fromEntries(pairs)
}

function jsonOf(name: string, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new CalledWrongly(`The input ${name} is not JSON.`)
  }
}
