import { AppShell, Badge, Box, Burger, Group, NavLink, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ApiError } from '@sluice/client'
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { InboxButton } from '../inbox/inbox-button.tsx'
import { AwayNotice } from '../live/away-notice.tsx'
import { LiveState } from '../live/live-state.tsx'
import { useLiveUpdates } from '../live/use-live-updates.ts'
import { SearchButton } from '../search/search-button.tsx'
import { Logo } from '../ui/logo.tsx'
import { navigation } from './navigation.ts'
import classes from './shell.module.css'

const KeyboardHelp = lazy(() => import('./keyboard-help.tsx').then((module) => ({ default: module.KeyboardHelp })))
const ColorSchemeMenu = lazy(() =>
  import('./color-scheme-menu.tsx').then((module) => ({ default: module.ColorSchemeMenu })),
)
const UserMenu = lazy(() => import('./user-menu.tsx').then((module) => ({ default: module.UserMenu })))

/** Layout of all pages that require a session. */
export const Shell = () => {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { data: principal, error } = useOperation('whoami', {}, { staleTime: 60_000 })
  const awaySince = useLiveUpdates()
  if (error instanceof ApiError && error.status === 401) return <Navigate to="/console/sign-in" search={{ to: path }} />
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'lg' }}
    >
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
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
            <LiveState isLive={awaySince === undefined} />
            {principal && <SearchButton />}
            {principal && <InboxButton />}
            <Suspense fallback={<Box w={34} />}>
              <ColorSchemeMenu />
            </Suspense>
            <Suspense fallback={<Box w={34} />}>{principal && <UserMenu principal={principal.data} />}</Suspense>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Main">
        <AppShell.Section grow style={{ overflowY: 'auto' }}>
          {navigation.map(({ to, label, Icon, covers }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              leftSection={<Icon size={18} aria-hidden />}
              active={covers.test(path)}
              onClick={close}
            />
          ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.content ?? ''}>
        <Suspense>
          <KeyboardHelp />
        </Suspense>
        {awaySince !== undefined && <AwayNotice since={awaySince} />}
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}
