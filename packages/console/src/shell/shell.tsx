import { AppShell, Badge, Burger, Group, NavLink, ScrollArea, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBox, IconGauge, IconRocket, IconRoute } from '@tabler/icons-react'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useOperation } from '../api/use-operation.ts'
import { Logo } from '../ui/logo.tsx'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { UserMenu } from './user-menu.tsx'

const places = [
  { to: '/', label: 'Overview', Icon: IconGauge },
  { to: '/console/environments', label: 'Environments', Icon: IconBox },
  { to: '/console/deployments', label: 'Deployments', Icon: IconRocket },
  { to: '/console/pipelines', label: 'Pipelines', Icon: IconRoute },
] as const

/** The frame of every page behind the sign-in. */
export const Shell = () => {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'lg' }}
    >
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <UnstyledButton component={Link} to="/">
              <Logo />
            </UnstyledButton>
            {principal && (
              <Group gap={6} visibleFrom="xs" wrap="nowrap">
                <Text size="sm" c="dimmed">
                  {principal.data.organizationName}
                </Text>
                <Badge variant="default" size="sm" tt="capitalize">
                  {principal.data.role.toLowerCase()}
                </Badge>
              </Group>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSchemeToggle />
            {principal && <UserMenu principal={principal.data} />}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Main">
        <AppShell.Section grow component={ScrollArea}>
          {places.map(({ to, label, Icon }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              leftSection={<Icon size={18} aria-hidden />}
              active={to === '/' ? path === '/' : path.startsWith(to)}
              onClick={close}
            />
          ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}
