import { operations } from '../operation.ts'
import * as clusters from './clusters.ts'
import { runTask } from './run-task.ts'
import * as serviceDeployments from './service-deployments.ts'
import * as services from './services.ts'
import * as tags from './tags.ts'
import * as taskDefinitions from './task-definitions.ts'
import * as tasks from './tasks.ts'

/** Simulated operations of ECS, API version 20141113. */
export const ecsOperations = operations({
  ContinueServiceDeployment: serviceDeployments.continueServiceDeployment,
  CreateCluster: clusters.createCluster,
  CreateService: services.createService,
  DeleteCluster: clusters.deleteCluster,
  DeleteService: services.deleteService,
  DeregisterTaskDefinition: taskDefinitions.deregisterTaskDefinition,
  DescribeClusters: clusters.describeClusters,
  DescribeServiceDeployments: serviceDeployments.describeServiceDeployments,
  DescribeServiceRevisions: serviceDeployments.describeServiceRevisions,
  DescribeServices: services.describeServices,
  DescribeTaskDefinition: taskDefinitions.describeTaskDefinition,
  DescribeTasks: tasks.describeTasks,
  ListClusters: clusters.listClusters,
  ListServiceDeployments: serviceDeployments.listServiceDeployments,
  ListServices: services.listServices,
  ListTagsForResource: tags.listTagsForResource,
  ListTaskDefinitions: taskDefinitions.listTaskDefinitions,
  ListTasks: tasks.listTasks,
  RegisterTaskDefinition: taskDefinitions.registerTaskDefinition,
  RunTask: runTask,
  StopServiceDeployment: serviceDeployments.stopServiceDeployment,
  StopTask: tasks.stopTask,
  TagResource: tags.tagResource,
  UntagResource: tags.untagResource,
  UpdateService: services.updateService,
})
