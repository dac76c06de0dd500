import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isProgram } from './programs.ts'

/** The module as it is in the checkout. */
export const moduleDirectory = fileURLToPath(new URL('../aws', import.meta.url))

const mirror = process.env.SLUICE_TEST_PLUGIN_MIRROR ?? ''

/** Why Terraform cannot check the module here; undefined if it can. */
export const whyNoTerraform = !(await isProgram('terraform'))
  ? 'skipped: terraform'
  : mirror === ''
    ? 'skipped: provider mirror (SLUICE_TEST_PLUGIN_MIRROR)'
    : undefined

/** A copy of the module whose provider is installed, so that nothing is written to the checkout. */
export async function initializedModule(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-aws-'))
  cpSync(moduleDirectory, directory, { recursive: true })
  await terraform(directory, 'init', `-plugin-dir=${mirror}`, '-test-directory=tests/simulated')
  return directory
}

/** Runs Terraform and returns its output; rejects with that output if Terraform fails. */
export async function terraform(directory: string, ...command: string[]): Promise<string> {
  const { code, output } = await tryTerraform(directory, command)
  if (code !== 0) throw new Error(`terraform ${command.join(' ')} ended with ${code}:\n${output}`)
  return output
}

/** Returns its exit code with its output. */
async function tryTerraform(directory: string, command: string[], more: Record<string, string> = {}) {
  const quiet = { CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: '/dev/null', TF_IN_AUTOMATION: '1' }
  const env = { ...process.env, ...quiet, ...more }
  const [name = '', ...options] = command
  const child = spawn('terraform', [name, '-no-color', ...options], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close') as Promise<[number]>
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  return { code, output: output + errors }
}

/** A line of `terraform test -json -verbose`. */
export type Message = {
  '@level': string
  '@message': string
  '@testrun'?: string
  type: string
  diagnostic?: { detail: string }
  test_state?: { root_module: { resources: Resource[] } }
  test_plan?: { resource_changes?: { address: string; change: { actions: string[] } }[] }
  test_summary?: { status: string }
}

export type Resource = { address: string; values: Record<string, unknown> }

/** Runs the tests of the module in a folder against the cloud at an address, and returns what Terraform says. */
export async function testOnCloud(directory: string, folder: string, url: string): Promise<Message[]> {
  const command = ['test', '-json', '-verbose', `-test-directory=${folder}`]
  const { output } = await tryTerraform(directory, command, { AWS_ENDPOINT_URL: url })
  return output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Message] : []))
}
