import { readModel } from '../model/model.ts'
import type { Rate } from '../rates.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { ecsControl } from './control.ts'
import { advanceService } from './deployer.ts'
import { ecsDecisions, ecsDifferences } from './differences.ts'
import { ecsOperations } from './operations.ts'
import { killPrograms } from './programs.ts'
import { ecsRights } from './rights.ts'
import { ecs } from './state.ts'
import { advanceTask, loseHosts } from './task-life.ts'

/** "Request throttling for the Amazon ECS API", read in 2026; continue and stop are not listed there. */
const rates: Rate[] = [
  { operations: ['CreateService', 'DeleteService', 'UpdateService'], burst: 50, perSecond: 5 },
  { operations: ['DescribeServices', 'ListServices'], burst: 100, perSecond: 20 },
  { operations: ['DescribeServiceDeployments', 'ListServiceDeployments'], burst: 50, perSecond: 20 },
  { operations: ['DescribeServiceRevisions'], burst: 50, perSecond: 20 },
  { operations: ['RunTask', 'StopTask'], burst: 100, perSecond: 40 },
  { operations: ['DescribeTasks', 'ListTasks'], burst: 100, perSecond: 20 },
  { operations: ['RegisterTaskDefinition'], burst: 20, perSecond: 1 },
  { operations: ['DescribeTaskDefinition'], burst: 50, perSecond: 20 },
  { operations: ['ContinueServiceDeployment', 'StopServiceDeployment'], burst: 5, perSecond: 5 },
]

export const ecsService: CloudService = {
  title: 'Amazon ECS',
  differences: ecsDifferences,
  decisions: ecsDecisions,
  protocol: json11With('InvalidParameterException'),
  operations: ecsOperations,
  rights: ecsRights,
  model: readModel('ecs.model.json', import.meta.url),
  open(world) {
    const { tasks, services, serviceDeployments } = ecs(world)
    tasks.onWake((task) => {
      advanceTask(world, task)
      if (task.serviceArn) advanceService(world, task.serviceArn)
    })
    serviceDeployments.onWake((deployment) => advanceService(world, deployment.serviceArn))
    services.onWake((service) => advanceService(world, service.key))
    loseHosts(world)
    world.closing.addEventListener('abort', () => killPrograms(world))
  },
  unordered: [
    'DescribeServiceDeployments',
    'DescribeServices',
    'DescribeTasks',
    'ListClusters',
    'ListServiceDeployments',
    'ListServices',
    'ListTasks',
  ],
  rates,
  control: ecsControl,
}
