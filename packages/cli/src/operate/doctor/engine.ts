import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Config } from '@sluice/server/platform/config/settings'
import { askEveryPartition, listDeployments } from '@sluice/server/platform/engine/admin'
import { connectEngine } from '@sluice/server/platform/engine/client'
import { binaryPath } from '@sluice/server/platform/engine/server-process'
import { type Finding, finding, ok, problem, warning } from './finding.ts'

/** Checks that an external engine responds, or that the embedded one can start. */
export async function examineEngine(config: Config): Promise<Finding[]> {
  const { engineIngressUrl: ingress, engineAdminUrl: admin } = config
  if (ingress === undefined || admin === undefined) return [await finding('engine', examineProgram)]
  return [await finding('engine', () => examineServer(ingress, admin, config))]
}

async function examineProgram() {
  const { stdout } = await promisify(execFile)(binaryPath(), ['--version'], { timeout: 10_000 })
  return ok(`embedded, ${stdout.trim()}`)
}

async function examineServer(ingress: string, admin: string, { roles, workerUrl }: Config) {
  if (!(await connectEngine({ url: ingress }).healthy())) {
    return problem(`${ingress} does not answer`, 'Start the engine, or correct ENGINE_INGRESS_URL.')
  }
  await askEveryPartition({ url: admin })
  const workers = (await listDeployments({ url: admin })).map(({ uri }) => uri.replace(/\/$/, ''))
  const says = `answers at ${ingress}`
  if (workers.length > 0) return ok(`${says}, and calls the worker at ${workers.join(', ')}`)
  return roles.includes('worker')
    ? ok(`${says}; the worker at ${workerUrl} is made known to it at the start`)
    : warning(`${says}, and knows no worker`, 'Start a process with the role worker: nothing continues without one.')
}
