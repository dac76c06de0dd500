import type {
  BatchGetProjectsInput,
  CreateProjectInput,
  Project as ProjectShown,
  UpdateProjectInput,
} from '@aws-sdk/client-codebuild'
import { arnIn, regionAndAccountOf, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { identities } from '../identities.ts'
import { evaluateRolePolicy } from '../rights/authorize.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { codeBuild, type Project } from './state.ts'

export const projectArn = (scope: Scope, name: string): string => arnIn(scope, 'codebuild', `project/${name}`)

export const invalidInput = (message: string) => new CloudError('InvalidInputException', message)

/** Default timeouts from the API reference, in minutes. */
const defaultTimeouts = { timeoutInMinutes: 60, queuedTimeoutInMinutes: 480 }

export function createProject(world: World, caller: Caller, input: CreateProjectInput) {
  const { name = '' } = input
  const key = projectArn(caller.scope, name)
  if (codeBuild(world).projects.get(key)) {
    throw new CloudError('ResourceAlreadyExistsException', `Project already exists: ${key}`)
  }
  const content = { ...defaultTimeouts, ...input }
  check(world, content, caller.region)
  const now = world.clock.timestamp()
  const made = { key, scope: caller.scope, name, content, createdAt: now, modifiedAt: now, builds: 0 }
  return { project: describeProject(codeBuild(world).projects.save(made)) }
}

export function updateProject(world: World, caller: Caller, input: UpdateProjectInput) {
  const project = findProject(world, caller, input.name)
  const content = { ...project.content, ...input } as CreateProjectInput
  check(world, content, caller.region)
  Object.assign(project, { content, modifiedAt: world.clock.timestamp() })
  return { project: describeProject(codeBuild(world).projects.save(project)) }
}

export function batchGetProjects(world: World, caller: Caller, { names = [] }: BatchGetProjectsInput) {
  const found = names.map((name) => [name, codeBuild(world).projects.get(arnOf(caller, name))] as const)
  return {
    projects: found.flatMap(([, project]) => (project ? [describeProject(project)] : [])),
    projectsNotFound: found.flatMap(([name, project]) => (project ? [] : [name])),
  }
}

export function findProject(world: World, caller: Caller, name = ''): Project {
  const arn = arnOf(caller, name)
  const project = codeBuild(world).projects.get(arn)
  if (project?.scope === caller.scope) return project
  throw new CloudError('ResourceNotFoundException', `Project cannot be found: ${arn}`)
}

const arnOf = ({ scope }: Caller, name: string): string => (name.startsWith('arn:') ? name : projectArn(scope, name))

function check(world: World, content: CreateProjectInput, region: string): void {
  const { source, artifacts, environment, serviceRole = '', vpcConfig } = content
  if (source?.type !== 'NO_SOURCE' || artifacts?.type !== 'NO_ARTIFACTS') {
    throw invalidInput('The simulated cloud builds without a source and artifacts of its own: NO_SOURCE, NO_ARTIFACTS.')
  }
  if (!source.buildspec) throw invalidInput('Project source type NO_SOURCE must have buildspec specified inline.')
  if (environment?.type !== 'LINUX_CONTAINER') {
    throw invalidInput('The simulated cloud builds in environments of the type LINUX_CONTAINER.')
  }
  const role = identities(world).roles.get(serviceRole)
  if (!role || ![undefined, 'codebuild.amazonaws.com'].includes(role.trustedService)) {
    throw invalidInput(
      'CodeBuild is not authorized to perform: sts:AssumeRole on service role. Please verify that: 1) The provided service role exists, 2) The role name is case-sensitive and matches exactly, and 3) The role has the necessary trust policy configured.',
    )
  }
  if (!vpcConfig || Object.keys(vpcConfig).length === 0) return
  if (!vpcConfig.vpcId || !vpcConfig.subnets?.length || !vpcConfig.securityGroupIds?.length) {
    throw invalidInput('Invalid vpc config: vpc id, subnets and security groups must all be given.')
  }
  const right = { action: 'ec2:DescribeSecurityGroups', resource: '*' }
  if (evaluateRolePolicy(world, serviceRole, right, region) !== 'allowed') {
    throw invalidInput('Not authorized to perform DescribeSecurityGroups')
  }
}

export function describeProject({ key, name, content, createdAt, modifiedAt }: Project): Wire<ProjectShown> {
  return {
    ...content,
    name,
    arn: key,
    created: seconds(createdAt),
    lastModified: seconds(modifiedAt),
  } as Wire<ProjectShown>
}

export const regionOf = (scope: Scope): string => regionAndAccountOf(scope).region
