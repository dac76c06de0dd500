import { ActionIcon, Menu } from '@mantine/core'
import type { Environment, ServicePlace } from '@sluice/contract'
import { IconArrowBackUp, IconArrowRight, IconDots, IconFileText, IconRocket } from '@tabler/icons-react'
import { MenuLink } from '../ui/menu-link.tsx'

/** Where else a service stands. */
export type Elsewhere = { environment: Environment; place: ServicePlace }

type Props = { label: string; place: ServicePlace; next: Elsewhere | undefined }

/** What there is to do with a service in an environment. */
export const PlaceMenu = ({ label, place: { moduleInstanceId: id, running }, next }: Props) => (
  <Menu position="bottom-end" width={260} withinPortal>
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label}>
        <IconDots size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <MenuLink to="/console/instances/$id" params={{ id }} leftSection={<IconRocket size={16} aria-hidden />}>
        Release…
      </MenuLink>
      {running && next && (
        <MenuLink
          to="/console/instances/$id"
          params={{ id: next.place.moduleInstanceId }}
          search={{ from: running.deploymentId }}
          leftSection={<IconArrowRight size={16} aria-hidden />}
        >
          Release {running.version ?? 'this'} in {next.environment.name}…
        </MenuLink>
      )}
      {running && (
        <MenuLink
          to="/console/deployments/$id"
          params={{ id: running.deploymentId }}
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
        >
          Roll back…
        </MenuLink>
      )}
      <MenuLink
        to="/console/instances/$id"
        params={{ id }}
        search={{ tab: 'logs' }}
        leftSection={<IconFileText size={16} aria-hidden />}
      >
        Logs
      </MenuLink>
    </Menu.Dropdown>
  </Menu>
)
