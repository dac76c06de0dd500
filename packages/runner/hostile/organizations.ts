import { randomBytes } from 'node:crypto'
import { Client } from '../../server/src/testing/client.ts'
import { Pipelines } from '../../server/src/testing/pipelines.ts'

/** Registers an organization, as anyone can, and creates a project. */
export async function registerTenant(url: string, organizationName: string): Promise<Pipelines> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const password = 'correct horse battery staple'
  await post(url, '/auth/register', { email, password, fullName: organizationName, organizationName })
  const { headers } = await post(url, '/auth/login', { email, password })
  const cookie = headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const made = await post(url, '/api-keys', { name: 'for its pipelines' }, { cookie, 'x-sluice-csrf': '1' })
  const { data } = (await made.json()) as { data: { token: string } }
  const client = new Client(url, data.token)
  const project = { givenId: 'work', name: 'Work' }
  const { id } = await client.done<{ id: string }>('POST', '/projects', { data: project })
  return new Pipelines(client, id)
}

async function post(url: string, path: string, data: object, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...headers },
    body: JSON.stringify({ data }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}

/** Returns everything that the steps of a run show, by step ID: log, output and error. */
export async function readRunOutput(pipelines: Pipelines, runId: string): Promise<Record<string, string>> {
  const steps = await pipelines.steps(runId)
  const shown = await Promise.all(
    steps.map(async (step) => {
      const path = `/pipeline-step-executions/${step.id}/logs?limit=100`
      const pieces = await pipelines.client.done<{ text: string }[]>('GET', path)
      return [step.stepId, `${pieces.map(({ text }) => text).join('')}\n${JSON.stringify(step)}`] as const
    }),
  )
  return Object.fromEntries(shown)
}
