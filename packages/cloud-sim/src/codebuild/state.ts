import type { BuildPhaseType, CreateProjectInput, PhaseContext, StatusType } from '@aws-sdk/client-codebuild'
import type { Scope } from '../arns.ts'
import type { Behaviour } from '../ecs/behaviour.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'

/** Key: the project's ARN. */
export interface Project extends Row {
  scope: Scope
  name: string
  content: CreateProjectInput
  createdAt: number
  modifiedAt: number
  /** How many builds it had. */
  builds: number
}

export interface Phase {
  type: BuildPhaseType
  startedAt: number
  status?: StatusType
  endedAt?: number
  context?: PhaseContext
}

/** Key: the build's ARN. */
export interface Build extends Row {
  scope: Scope
  /** `PROJECT:UUID`. */
  id: string
  /** The project's ARN. */
  project: string
  number: number
  /** What its project said when it began, with what it was started with over it. */
  content: CreateProjectInput
  initiator: string
  behaviour: Behaviour
  /** What its image is on this machine. */
  argv?: string[] | undefined
  phases: Phase[]
  status: StatusType
  startedAt: number
  endedAt?: number
  /** The group and stream that it writes to, once it does. */
  logs?: { group: string; stream: string }
}

/** Key: scope and token. */
export interface StartRequest extends Row {
  request: string
  build: string
  at: number
}

/** What the build service keeps. */
export const codeBuild = state((world) => ({
  projects: world.table<Project>('build-project', { scope: (row) => row.scope }),
  builds: world.table<Build>('build', { project: (row) => row.project }),
  requests: world.table<StartRequest>('build-request'),
}))
