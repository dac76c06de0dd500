import type { DeploymentData } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { ContainerPanel } from './container-panel.tsx'

// Those that are seldom seen come on demand: the scripts of the first page are counted.
const FunctionPanel = lazy(() => import('./function-panel.tsx').then((module) => ({ default: module.FunctionPanel })))
const GroupPanel = lazy(() => import('./group-panel.tsx').then((module) => ({ default: module.GroupPanel })))
const SitePanel = lazy(() => import('./site-panel.tsx').then((module) => ({ default: module.SitePanel })))

/** What only deployments of one type show. */
export const TypePanel = ({ data }: { data: DeploymentData }) => {
  switch (data.type) {
    case 'cloud:ecs':
      return <ContainerPanel data={data} />
    case 'cloud:lambda':
      return (
        <Suspense>
          <FunctionPanel data={data} />
        </Suspense>
      )
    case 'cloud:ec2':
      return (
        <Suspense>
          <GroupPanel data={data} />
        </Suspense>
      )
    case 'cloud:static':
      return (
        <Suspense>
          <SitePanel data={data} />
        </Suspense>
      )
  }
}
