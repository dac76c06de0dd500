import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageBuildOrder, ZeroConfigBuilder } from '@sluice/contract/runner-protocol'
import type { Attempt, Command } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { ProgramNotFound } from '../programs/process.ts'
import { runWithTimeout } from './run-with-timeout.ts'

/** Command prefix that isolates a packer's programs from the machine. */
type Starter = readonly string[]

/**
 * Runs Nixpacks, which writes a Dockerfile for the folder. Returns the order and the folder to build next. The options
 * are from the "CLI reference" of `nixpacks build --out` (read 2026-11).
 */
export async function prepareWithNixpacks(
  attempt: Attempt,
  order: ImageBuildOrder & { packer: ZeroConfigBuilder },
  cwd: string,
  starter: Starter,
): Promise<{ order: ImageBuildOrder; cwd: string }> {
  const { packer } = order
  await requireTool(attempt, packer)
  const out = join(attempt.folders.internal, 'packed')
  const names = Object.keys(order.arguments)
  const options = [
    ...['build', '--out', out],
    ...names.flatMap((name) => ['--env', name]),
    ...createOption('--config', packer.configFile),
    ...createOption('--install-cmd', packer.installCommand),
    ...createOption('--build-cmd', packer.buildCommand),
    ...createOption('--start-cmd', packer.startCommand),
    ...packer.nixPackages.map((name) => `--pkgs=${name}`),
    ...packer.aptPackages.map((name) => `--apt=${name}`),
    ...packer.nixLibraries.map((name) => `--libs=${name}`),
  ]
  attempt.log(`Running Nixpacks for ${order.context}.`)
  const command: Command = { argv: ['nixpacks', ...options, order.context], cwd, env: order.arguments }
  await runWithTimeout(attempt, 'nixpacks', command, order.commandSeconds, starter)
  const dockerfile = '.nixpacks/Dockerfile'
  if (!existsSync(join(out, dockerfile))) {
    throw new StepFailure('buildOutputInvalid', 'Nixpacks did not generate a Dockerfile.')
  }
  return { order: { ...order, dockerfile, context: '.' }, cwd: out }
}

/** Returns the image of Railpack's BuildKit frontend for a version of the tool. */
const frontendImage = (version: string): string => `ghcr.io/railwayapp/railpack-frontend:v${version}`

/**
 * Runs Railpack, which plans the build, and BuildKit, which executes it. Returns the path of the image file. The
 * command lines are from "Running Railpack in Production" (read 2026-11).
 */
export async function buildWithRailpack(
  attempt: Attempt,
  order: ImageBuildOrder & { packer: ZeroConfigBuilder },
  cwd: string,
  starter: Starter,
): Promise<string> {
  const { packer } = order
  const version = await requireTool(attempt, packer)
  await requireBuildKit(attempt)
  const { internal } = attempt.folders
  // All variables are build secrets; the image gets its own from its configuration. Railpack reads the install command
  // from a variable, because it has no option for it.
  const install = packer.installCommand
  const variables: Record<string, string> = {
    ...order.arguments,
    ...order.secrets,
    ...(install && { RAILPACK_INSTALL_CMD: install }),
  }
  const names = Object.keys(variables).sort()
  const planned = [
    ...['prepare', order.context],
    ...['--plan-out', join(internal, 'railpack-plan.json'), '--info-out', join(internal, 'railpack-info.json')],
    ...names.flatMap((name) => ['--env', name]),
    ...createOption('--build-cmd', packer.buildCommand),
    ...createOption('--start-cmd', packer.startCommand),
  ]
  attempt.log(`Running Railpack for ${order.context}.`)
  const plan: Command = { argv: ['railpack', ...planned], cwd, env: variables }
  await runWithTimeout(attempt, 'railpack', plan, order.commandSeconds, starter)

  const image = join(internal, 'image.tar')
  const hashed = names.map((name) => `${name}=${variables[name]}\n`).join('')
  const built = [
    ...['build', '--progress', 'plain', '--frontend', 'gateway.v0', '--opt', `source=${frontendImage(version)}`],
    ...[
      '--local',
      `context=${order.context}`,
      '--local',
      `dockerfile=${internal}`,
      '--opt',
      'filename=railpack-plan.json',
    ],
    ...(names.length > 0 ? ['--opt', `build-arg:secrets-hash=${hash('sha256', hashed, 'hex')}`] : []),
    ...names.flatMap((name) => ['--secret', `id=${name},env=${name}`]),
    ...['--output', `type=oci,dest=${image}`],
  ]
  const build: Command = { argv: ['buildctl', ...built], cwd, env: { ...variables, ...readBuildKitHost() } }
  await runWithTimeout(attempt, 'image', build, order.commandSeconds)
  return image
}

const createOption = (option: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${option}=${value}`]

const titles = { nixpacks: 'Nixpacks', railpack: 'Railpack' } as const

/** Returns the version of the tool. @throws {StepFailure} if it is missing or another version than requested */
async function requireTool(attempt: Attempt, { tool, version: wanted }: ZeroConfigBuilder): Promise<string> {
  const said = await captureOutput(attempt, tool, ['--version'])
  const version = said === undefined ? undefined : /\d+\.\d+\.\d+[\w.+-]*/.exec(said)?.[0]
  if (version === undefined)
    throw createMissingToolError(tool, `The runner cannot build with ${titles[tool]}: ${tool} is not installed.`)
  if (wanted === undefined || wanted.replace(/^v/, '') === version) return version
  throw createMissingToolError(
    tool,
    `The runner has ${titles[tool]} ${version}, but the build block requires ${wanted}.`,
  )
}

async function requireBuildKit(attempt: Attempt): Promise<void> {
  if ((await captureOutput(attempt, 'buildctl', ['debug', 'workers'], readBuildKitHost())) !== undefined) return
  const message = 'The runner cannot build with Railpack: buildctl is not installed or cannot reach buildkitd.'
  throw createMissingToolError('buildctl', message)
}

/** Returns the operator's address of BuildKit; buildctl has a default. */
const readBuildKitHost = (): Record<string, string> => {
  const { BUILDKIT_HOST } = process.env
  return BUILDKIT_HOST ? { BUILDKIT_HOST } : {}
}

/** Maximum output to read from a tool that reports its version. */
const maxOutputBytes = 65_536

/** Returns the standard output of a program; undefined if it is not installed or fails. */
async function captureOutput(
  attempt: Attempt,
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string | undefined> {
  const name = [program, ...args].join(' ')
  try {
    const result = await attempt.runProgram(name, { argv: [program, ...args], env, capturesStdout: true })
    if (!('exitCode' in result) || result.exitCode !== 0) return undefined
  } catch (error) {
    if (error instanceof ProgramNotFound) return undefined
    throw error
  }
  const said = await attempt.readStdout(name, maxOutputBytes)
  return said && 'content' in said ? said.content.toString() : undefined
}

const createMissingToolError = (tool: string, message: string): StepFailure =>
  new StepFailure('buildToolMissing', message, {
    description:
      "Install it in a folder of PATH on one of the organization's own runners, in addition to the tools for images: see Builds in the guide. Railpack also requires buildctl, and BUILDKIT_HOST if buildkitd does not listen at its default address.",
    metadata: { tool },
  })
