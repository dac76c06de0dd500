import type { EcsRelease } from '../../deployments/types/ecs/release.ts'
import type { AssumedRole } from '../roles.ts'
import { type TaskDefinition, taskPath } from './task-definition.ts'

/** Returns the roles that a release passes to services of the cloud. */
export function passedRolesOf(release: EcsRelease, definition: TaskDefinition = {}): AssumedRole[] {
  const [, partition, , , account] = release.serviceArn.split(':')
  const arnOf = (role: string) => (role.startsWith('arn:') ? role : `arn:${partition}:iam::${account}:role/${role}`)
  const tasks = 'ecs-tasks.amazonaws.com'
  return [
    { role: definition.executionRoleArn, service: tasks, path: taskPath('execution_role_arn') },
    { role: definition.taskRoleArn, service: tasks, path: taskPath('task_role_arn') },
    {
      role: release.trafficShift?.infrastructureRoleArn,
      service: 'ecs.amazonaws.com',
      path: 'deploy.infrastructure.ecs_infrastructure_role_arn',
    },
  ].flatMap(({ role, service, path }) => (role ? [{ roleArn: arnOf(role), service, path }] : []))
}
