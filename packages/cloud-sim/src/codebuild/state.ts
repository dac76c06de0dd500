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
  /** Number of its builds. */
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
  /** ARN of the project. */
  project: string
  number: number
  /** Project settings at the start, merged with those of the request. */
  content: CreateProjectInput
  initiator: string
  behaviour: Behaviour
  /** Local program that its image stands for. */
  argv?: string[] | undefined
  phases: Phase[]
  status: StatusType
  startedAt: number
  endedAt?: number
  /** Log group and stream, once opened. */
  logs?: { group: string; stream: string }
}

/** Key: scope and token. */
export interface StartRequest extends Row {
  request: string
  build: string
  at: number
}

/** State of CodeBuild. */
export const codeBuild = state((world) => ({
  projects: world.table<Project>('build-project', { scope: (row) => row.scope }),
  builds: world.table<Build>('build', { project: (row) => row.project }),
  requests: world.table<StartRequest>('build-request'),
}))
