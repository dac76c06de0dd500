import type { FreeFormObject } from '../values/free-form.ts'

/** What a runner is to do for an attempt. */
export type Order = BuildOrder | CommandOrder | IacOrder

/** Where the files of a step come from: a repository, or files that were given as they are. */
export type OrderedSource = { basePath: string } & (OrderedRepository | { files: Record<string, string> })

export type OrderedRepository = {
  url: string
  ref?: string | undefined
  /** The commit that an earlier step found there. */
  commit?: string | undefined
  /** The code source that opens it; without, it is open to everybody. */
  codeSourceId?: string | undefined
}

export type BuildOrder = FileBuildOrder | ImageBuildOrder

type AnyBuild = {
  kind: 'build'
  source: OrderedSource
  /** How long each command may take. */
  commandSeconds?: number | undefined
}

/** Makes an image: of a Dockerfile, or by a tool that finds out by itself what the source takes. */
export type ImageBuildOrder = AnyBuild & {
  publishedAs: 'image'
  /** Relative to the base path of the source. */
  dockerfile: string
  /** The folder that is copied from; relative to the base path as well. */
  context: string
  /** What makes it in place of the Dockerfile. */
  packer?: Packer | undefined
  /** The stage that is built; the last without one. */
  target?: string | undefined
  /** Build arguments. They stay in the image's history. */
  arguments: Record<string, string>
  /** Whether the arguments are variables in the image, too. */
  isInjected: boolean
  /** Build secrets: what mounts them sees them, and no layer has them. */
  secrets: Record<string, string>
  /** Which layers it may use again, and leaves for the next build of the same name; none without. */
  layers?: OrderedLayers | undefined
}

export type OrderedLayers = {
  /** A name within the organization: of what is built, and of who decides about what it is built of. */
  of: string
  /** Whether all is built anew. What it leaves takes the place of what was there. */
  isFresh: boolean
}

/** A tool that makes an image of a source without a Dockerfile, and what it is told. */
export type Packer = {
  tool: 'nixpacks' | 'railpack'
  /** The version that it must have; any without one. */
  version?: string | undefined
  installCommand?: string | undefined
  buildCommand?: string | undefined
  startCommand?: string | undefined
  /** The rest only Nixpacks knows. The file is relative to the folder that is built. */
  configFile?: string | undefined
  nixPackages: string[]
  aptPackages: string[]
  nixLibraries: string[]
}

/** Runs commands, and publishes the files that they leave. */
export type FileBuildOrder = AnyBuild & {
  /** Run one after the other in the base path of the source. */
  commands: { name: string; script: string }[]
  env: Record<string, string>
  /** What is published of the base path: a folder below it. */
  outputDirectory: string
  /** Whether its files are published as they are, or in one archive. */
  publishedAs: 'files' | 'archive'
}

export type CommandOrder = {
  kind: 'command'
  argv: [string, ...string[]]
  /** The script, where it is one. */
  shell?: string | undefined
  env: Record<string, string>
  /** Relative to the base path of the source; without a source, to the directory of the attempt. */
  workingDirectory: string
  source?: OrderedSource | undefined
}

export type IacOrder = {
  kind: 'iac'
  run: 'PLAN' | 'DRIFT' | 'APPLY' | 'DESTROY'
  tool: string
  toolVersion?: string | undefined
  source: OrderedSource
  env: Record<string, string>
  region?: string | undefined
  /** Whether it works with a session in a cloud account, which is asked for. */
  hasSession: boolean
  /** Where its calls to the cloud go, if not to the cloud. */
  cloudEndpoint?: string | undefined
  /** How many bytes a plan may have; absent from a server that is older than the runner. */
  mostPlanBytes?: number | undefined
  /** The state that we keep; without, the configuration brings a backend of its own. */
  state?: OrderedState | undefined
  /** For all but an apply. */
  wish?: PlanWish | undefined
  /** For an apply. */
  plan?: OrderedPlan | undefined
  /** What the apply is given again, since no plan contains the values of ephemeral variables; else that of the wish. */
  applyInputs?: VariableInputs | undefined
}

export type OrderedState = {
  /** What the workspace is called; absent from a server that is older than the runner. */
  workspace?: string
  /** Below the address of the API. */
  path: string
  token: string
  /** Which one there is now; null where there never was one. */
  before: StateMark | null
}

export type StateMark = { lineage: string; serial: number }

/** How input variables are set, beside the environment. */
export type VariableInputs = {
  /** Values that go over those of the files. */
  variables: FreeFormObject
  /** Files with values, relative to the folder. */
  variableFiles: string[]
}

export type PlanWish = VariableInputs & {
  targets: string[]
  /** Whether everything is to go. */
  destroy: boolean
}

/** A plan that is to be applied as it is. */
export type OrderedPlan = {
  /** Base64. */
  file: string
  lockFile?: string | undefined
}
