import type { FreeFormObject } from '../values/free-form.ts'

/** Work that a runner executes for an attempt. */
export type Order = BuildOrder | CommandOrder | IacOrder

/** Source of a step's files: a repository, or files from the configuration. */
export type OrderedSource = { basePath: string } & (OrderedRepository | { files: Record<string, string> })

export type OrderedRepository = {
  url: string
  ref?: string | undefined
  /** Commit that an earlier step resolved. */
  commit?: string | undefined
  /** ID of the code source that grants access. Absent for a public repository. */
  codeSourceId?: string | undefined
}

export type BuildOrder = FileBuildOrder | ImageBuildOrder

type AnyBuild = {
  kind: 'build'
  source: OrderedSource
  /** Timeout of each command in seconds. */
  commandSeconds?: number | undefined
}

/** Builds an image from a Dockerfile, or with a tool that detects how to build the source. */
export type ImageBuildOrder = AnyBuild & {
  publishedAs: 'image'
  /** Path of the Dockerfile, relative to the base path of the source. */
  dockerfile: string
  /** Build context, relative to the base path of the source. */
  context: string
  /** Tool that builds the image instead of a Dockerfile. */
  packer?: ZeroConfigBuilder | undefined
  /** Target stage. Defaults to the last one. */
  target?: string | undefined
  /** Build arguments. They remain in the history of the image. */
  arguments: Record<string, string>
  /** Whether the arguments are also variables in the image. */
  isInjected: boolean
  /** Build secrets, visible only to commands that mount them and in no layer. */
  secrets: Record<string, string>
  /** Cached layers to use and to update. Absent for a build without cache. */
  layers?: OrderedLayers | undefined
}

export type OrderedLayers = {
  /** Name of the cache within the organization, determined by the built image and by who controls its source. */
  of: string
  /** Whether to ignore cached layers and replace them. */
  isFresh: boolean
}

/** Tool that builds an image without a Dockerfile, and its options. */
export type ZeroConfigBuilder = {
  tool: 'nixpacks' | 'railpack'
  /** Required version. Defaults to any. */
  version?: string | undefined
  installCommand?: string | undefined
  buildCommand?: string | undefined
  startCommand?: string | undefined
  /**
   * Path of the configuration file, relative to the build directory. This and the following options apply only to
   * Nixpacks.
   */
  configFile?: string | undefined
  nixPackages: string[]
  aptPackages: string[]
  nixLibraries: string[]
}

/** Runs commands and publishes the files that they create. */
export type FileBuildOrder = AnyBuild & {
  /** Commands, run in sequence in the base path of the source. */
  commands: { name: string; script: string }[]
  env: Record<string, string>
  /** Directory to publish, below the base path. */
  outputDirectory: string
  /** Whether to publish individual files or one archive. */
  publishedAs: 'files' | 'archive'
}

export type CommandOrder = {
  kind: 'command'
  argv: [string, ...string[]]
  /** Shell script. */
  shell?: string | undefined
  env: Record<string, string>
  /**
   * Working directory, relative to the base path of the source, or without a source to the directory of the attempt.
   */
  workingDirectory: string
  source?: OrderedSource | undefined
  /** Files to get from earlier steps and to pass to later ones. Absent in responses from older servers. */
  artifacts?: { upload: UploadedStepArtifact[]; download: DownloadedStepArtifact[] } | undefined
}

/** Files that a step passes to later steps. Paths and patterns are relative to the working directory. */
export type UploadedStepArtifact = { name: string; paths: string[] }

/** Files of an earlier step, and the folder for them, relative to the working directory. */
export type DownloadedStepArtifact = {
  id: string
  name: string
  path: string
  pieceCount: number
  /** SHA-256 hash of all pieces in hexadecimal. */
  sha256: string
}

export type IacOrder = {
  kind: 'iac'
  run: 'PLAN' | 'DRIFT' | 'APPLY' | 'DESTROY'
  tool: string
  toolVersion?: string | undefined
  source: OrderedSource
  env: Record<string, string>
  region?: string | undefined
  /** Whether the command requests a session in a cloud account. */
  hasSession: boolean
  /** Endpoint for calls to the cloud. Defaults to the cloud itself. */
  cloudEndpoint?: string | undefined
  /** Maximum size of a plan in bytes. Absent in responses from older servers. */
  mostPlanBytes?: number | undefined
  /** Whether the API accepts a report of sensitive variables. Absent in responses from older servers. */
  reportsSensitiveVariables?: boolean | undefined
  /** State stored by Sluice. Absent if the configuration has its own backend. */
  state?: OrderedState | undefined
  /** Plan to create. Absent for an apply. */
  wish?: PlanRequest | undefined
  /** Plan to apply. Present for an apply. */
  plan?: OrderedPlan | undefined
  /**
   * Inputs for the apply, because plans do not contain values of ephemeral variables. Defaults to the inputs of the
   * plan.
   */
  applyInputs?: VariableInputs | undefined
}

export type OrderedState = {
  /** Name of the workspace. Absent in responses from older servers. */
  workspace?: string
  /** Path below the URL of the API. */
  path: string
  token: string
  /** Current state; null if there is none. */
  before: StateMark | null
}

export type StateMark = { lineage: string; serial: number }

/** Input variables besides the environment. */
export type VariableInputs = {
  /** Values that take precedence over those of the files. */
  variables: FreeFormObject
  /** Variable files, relative to the configuration directory. */
  variableFiles: string[]
}

export type PlanRequest = VariableInputs & {
  targets: string[]
  /** Whether to destroy everything. */
  destroy: boolean
}

/** Plan to apply unchanged. */
export type OrderedPlan = {
  /** Plan file in base64. */
  file: string
  lockFile?: string | undefined
}
