import { execFile } from 'node:child_process'
import { access, constants, readdir, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { RunnerTools } from '@sluice/contract/runner-protocol'
import { compare, satisfies, valid, validRange } from 'semver'

/** An installed program of the iac tool. */
export type Tool = { name: ToolName; version: string; path: string }
type ToolName = 'tofu' | 'terraform'

/** The tool and the version range that a step requests. */
export type ToolRequest = { tool: string; version: string | undefined }

/** Why no program was found, and how to install one. */
export type MissingTool = { reason: string; remedy: string; url: string }

export type Toolbox = {
  find(wish: ToolRequest): Promise<Tool | MissingTool>
  /** Returns the installed versions. */
  versions(): Promise<RunnerTools>
}

const names: Record<string, readonly ToolName[]> = {
  iac: ['tofu', 'terraform'],
  iac_alt: ['terraform'],
  opentofu: ['tofu'],
  terraform: ['terraform'],
}
const titles: Record<ToolName, { title: string; url: string }> = {
  tofu: { title: 'OpenTofu', url: 'https://opentofu.org/docs/intro/install/' },
  terraform: { title: 'Terraform', url: 'https://developer.hashicorp.com/terraform/install' },
}

const run = promisify(execFile)

/**
 * Creates a toolbox of the programs in PATH and in `toolsDir` at `<tool>/<version>/<tool>`. Never downloads a program:
 * the operator must choose what runs with the credentials of an organization.
 */
export function createToolbox({ toolsDir, path }: { toolsDir?: string | undefined; path: string }): Toolbox {
  const versions = new Map<string, Promise<string | undefined>>()

  /** Returns the version of a program. Caches it until the file is replaced. */
  async function cachedVersion(file: string): Promise<string | undefined> {
    const key = `${file} ${(await stat(file)).mtimeMs}`
    const known = versions.get(key) ?? readVersion(file)
    versions.set(key, known)
    return known
  }

  async function findOnPath(name: ToolName): Promise<Tool[]> {
    for (const directory of path.split(delimiter)) {
      const file = join(directory, name)
      if (!(await isProgram(file))) continue
      const version = await cachedVersion(file)
      if (version !== undefined) return [{ name, version, path: file }]
    }
    return []
  }

  async function findInToolsDir(name: ToolName): Promise<Tool[]> {
    if (toolsDir === undefined) return []
    const found = await readdir(join(toolsDir, name)).catch(() => [])
    const tools = found.map((version) => ({ name, version, path: join(toolsDir, name, version, name) }))
    const areThere = await Promise.all(tools.map(async (tool) => valid(tool.version) && (await isProgram(tool.path))))
    return tools.filter((_, index) => areThere[index]).sort((a, b) => compare(b.version, a.version))
  }

  const listVersions = async (name: ToolName) => [
    ...new Set([...(await findOnPath(name)), ...(await findInToolsDir(name))].map(({ version }) => version)),
  ]

  return {
    async versions() {
      const [tofu, terraform] = [await listVersions('tofu'), await listVersions('terraform')]
      return { iac: tofu.length > 0 ? tofu : terraform, iac_alt: terraform }
    },

    async find({ tool, version }) {
      const wanted = names[tool]
      if (!wanted)
        return createMissingTool('tofu', `Unknown tool ${tool}: use one of ${Object.keys(names).join(', ')}.`)
      const range = version?.replaceAll(',', ' ')
      const [first = 'tofu'] = wanted
      if (range !== undefined && validRange(range) === null) {
        return createMissingTool(
          first,
          `Invalid version ${version}: use a version such as 1.11.4 or a range such as ~1.11.`,
        )
      }
      for (const name of wanted) {
        const found = [...(await findOnPath(name)), ...(await findInToolsDir(name))]
        const fitting = found.find((one) => range === undefined || satisfies(one.version, range))
        if (fitting) return fitting
        if (found.length > 0 && wanted.length === 1) {
          const there = found.map((one) => one.version).join(', ')
          return createMissingTool(name, `This runner has ${titles[name].title} ${there}, not ${version}.`)
        }
      }
      const asked = wanted.map((name) => titles[name].title).join(' nor ')
      const wish = version === undefined ? '' : ` in version ${version}`
      return createMissingTool(first, `This runner has ${wanted.length > 1 ? 'neither' : 'no'} ${asked}${wish}.`)
    },
  }
}

/** Returns whether `init` supports `-json`: Terraform since this version, no known version of OpenTofu. */
export const reportsInitInJson = (tool: Tool): boolean => isAtLeast(tool, { terraform: '1.9' })

/** Returns whether the tool has ephemeral variables. Earlier versions reject values in addition to a saved plan. */
export const hasEphemeralVariables = (tool: Tool): boolean => isAtLeast(tool, { terraform: '1.10', tofu: '1.11' })

const isAtLeast = ({ name, version }: Tool, since: Partial<Record<ToolName, string>>): boolean =>
  since[name] !== undefined && satisfies(version, `>=${since[name]}`, { includePrerelease: true })

const createMissingTool = (name: ToolName, reason: string): MissingTool => ({
  reason,
  remedy: `Install ${titles[name].title} on the runner so that \`${name}\` is on its PATH, or add it to SLUICE_IAC_TOOLS_DIR as ${name}/<version>/${name}.`,
  url: titles[name].url,
})

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(await realpath(file), constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** Returns the version; undefined for another program of the same name. */
async function readVersion(file: string): Promise<string | undefined> {
  try {
    const env = { PATH: process.env.PATH ?? '', HOME: tmpdir(), CHECKPOINT_DISABLE: '1' }
    // A start takes tenths of a second. The timeout allows for a busy machine.
    const { stdout } = await run(file, ['version', '-json'], { env, cwd: tmpdir(), timeout: 10_000 })
    const { terraform_version: version } = JSON.parse(stdout) as { terraform_version?: string }
    return valid(version) ?? undefined
  } catch {
    return undefined
  }
}
