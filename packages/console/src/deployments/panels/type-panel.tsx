import type { DeploymentData } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { ContainerPanel } from './container-panel.tsx'

// Rare panels are loaded on demand to keep the first page small.
const FunctionPanel = lazy(() => import('./function-panel.tsx').then((module) => ({ default: module.FunctionPanel })))
const GroupPanel = lazy(() => import('./group-panel.tsx').then((module) => ({ default: module.GroupPanel })))
const SitePanel = lazy(() => import('./site-panel.tsx').then((module) => ({ default: module.SitePanel })))

/** Shows the panels for a deployment type. */
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
