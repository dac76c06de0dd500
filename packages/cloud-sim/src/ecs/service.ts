import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { ecsControl } from './control.ts'
import { tend } from './deployer.ts'
import { ecsOperations } from './operations.ts'
import { ecs } from './state.ts'
import { liveOn } from './task-life.ts'

export const ecsService: CloudService = {
  protocol: json11With('InvalidParameterException'),
  operations: ecsOperations,
  model: readModel('ecs.model.json', import.meta.url),
  open(world) {
    const { tasks, services, serviceDeployments } = ecs(world)
    tasks.onWake((task) => {
      liveOn(world, task)
      if (task.serviceArn) tend(world, task.serviceArn)
    })
    serviceDeployments.onWake((deployment) => tend(world, deployment.serviceArn))
    services.onWake((service) => tend(world, service.key))
  },
  control: ecsControl,
}
