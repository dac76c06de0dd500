// biome-ignore-all lint/style/noRestrictedGlobals: asks what listens on this machine.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { HealthStatus } from '@sluice/contract'
import { exposureOf } from '@sluice/server/platform/config/exposure'
import type { Config } from '@sluice/server/platform/config/settings'
import { type Finding, finding, ok, problem, warning } from './finding.ts'

/** Checks the ports on which this process would listen. */
export async function examinePorts(config: Config): Promise<Finding[]> {
  const { roles, host, port, workerHost, workerPort } = config
  const findings: Finding[] = []
  if (roles.includes('api') || roles.includes('worker'))
    findings.push(await finding('port', () => examineOwnPort(host, port)))
  const exposure = exposureOf(config)
  if (exposure !== undefined) findings.push({ check: 'TLS', ...warning(exposure) })
  if (roles.includes('worker') && workerPort !== undefined)
    findings.push(await finding('worker port', () => examineWorker(workerHost, workerPort)))
  return findings
}

async function examineOwnPort(host: string, port: number) {
  const trouble = await portProblem(host, port)
  if (trouble === undefined) return ok(`${host}:${port} is free`)
  const readiness = await readinessAt(host, port)
  if (readiness === undefined) return problem(trouble, 'Choose another one with PORT or --port.')
  if (readiness.isReady) return ok(`a service answers at ${host}:${port} and is ready`)
  return warning(
    `a service answers at ${host}:${port} and is not ready: ${readiness.failedChecks.join(', ')}`,
    'It may have just started; if it stays so, its log says why.',
  )
}

async function examineWorker(host: string, port: number) {
  const trouble = await portProblem(host, port)
  return trouble === undefined
    ? ok(`${host}:${port} is free`)
    : warning(trouble, 'That is well where this service runs already; else choose another one with WORKER_PORT.')
}

/** Returns why the port cannot be used, or undefined. */
async function portProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EADDRINUSE' ? `${host}:${port} is in use` : `${host}:${port} cannot be had (${code})`
  } finally {
    server.close()
  }
}

type Readiness = { isReady: boolean; failedChecks: string[] }

/** Returns the readiness of the service at this address, or undefined if no Sluice service responds. */
async function readinessAt(host: string, port: number): Promise<Readiness | undefined> {
  const own = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  try {
    const answer = await fetch(`http://${own.includes(':') ? `[${own}]` : own}:${port}/health/ready`, {
      signal: AbortSignal.timeout(5_000),
    })
    const { data, metadata } = (await answer.json()) as { data?: HasChecks; metadata?: HasChecks }
    const checks = answer.ok ? data?.checks : metadata?.checks
    return checks === undefined ? undefined : { isReady: answer.ok, failedChecks: answer.ok ? [] : Object.keys(checks) }
  } catch {
    return undefined
  }
}

type HasChecks = { checks?: Record<string, HealthStatus> }
