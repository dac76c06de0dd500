import { ActionIcon, Menu } from '@mantine/core'
import type { Environment, ServiceInEnvironment } from '@sluice/contract'
import { lazy, Suspense, useState } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { IconArrowBackUp, IconArrowRight, IconChartLine, IconDots, IconFileText, IconRocket } from '../ui/icons.tsx'
import { MenuLink } from '../ui/menu-link.tsx'
import type { ServicePlace } from './placed-services.ts'

const RollBack = lazy(() => import('./roll-back.tsx'))

type Props = {
  label: string
  environment: Environment
  place: ServiceInEnvironment
  next: ServicePlace | undefined
}

/** Menu of actions for a service in an environment. */
export const ServiceMenu = ({ label, environment, place, next }: Props) => {
  const { moduleInstanceId: id, running } = place
  const [isRollingBack, setRollingBack] = useState(false)
  return (
    <>
      <Menu position="bottom-end" width={260} withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuLink to="/console/instances/$id" params={{ id }} leftSection={<IconRocket size={16} aria-hidden />}>
            Deploy…
          </MenuLink>
          {running && next && (
            <MenuLink
              to="/console/instances/$id"
              params={{ id: next.place.moduleInstanceId }}
              search={{ from: running.deploymentId }}
              leftSection={<IconArrowRight size={16} aria-hidden />}
            >
              Promote {running.version ?? 'this'} to {next.environment.name}…
            </MenuLink>
          )}
          {running && (
            <Menu.Item leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => setRollingBack(true)}>
              Roll back…
            </Menu.Item>
          )}
          <MenuLink
            to="/console/instances/$id"
            params={{ id }}
            search={{ tab: 'logs' }}
            leftSection={<IconFileText size={16} aria-hidden />}
          >
            Logs
          </MenuLink>
          <MenuLink
            to="/console/instances/$id"
            params={{ id }}
            search={{ tab: 'metrics' }}
            leftSection={<IconChartLine size={16} aria-hidden />}
          >
            Metrics
          </MenuLink>
        </Menu.Dropdown>
      </Menu>
      {isRollingBack && (
        <PermissionScopeContext value={{ projectId: environment.projectId, environmentId: environment.id }}>
          <Suspense>
            <RollBack place={place} onClose={() => setRollingBack(false)} />
          </Suspense>
        </PermissionScopeContext>
      )}
    </>
  )
}
