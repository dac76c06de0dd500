import type { DeploymentData } from '@sluice/contract'
import { ContainerPanel } from './container-panel.tsx'
import { FunctionPanel } from './function-panel.tsx'
import { GroupPanel } from './group-panel.tsx'
import { SitePanel } from './site-panel.tsx'

/** What only deployments of one type show. */
export const TypePanel = ({ data }: { data: DeploymentData }) => {
  switch (data.type) {
    case 'cloud:ecs':
      return <ContainerPanel data={data} />
    case 'cloud:lambda':
      return <FunctionPanel data={data} />
    case 'cloud:ec2':
      return <GroupPanel data={data} />
    case 'cloud:static':
      return <SitePanel data={data} />
  }
}
