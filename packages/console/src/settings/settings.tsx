import { NavLink, Paper, Stack } from '@mantine/core'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { PageTitle } from '../ui/page-title.tsx'
import classes from './settings.module.css'

const places = [
  { to: '/console/settings/members', label: 'Members' },
  { to: '/console/settings/access', label: 'Access' },
  { to: '/console/settings/service-accounts', label: 'Service accounts' },
  { to: '/console/settings/api-keys', label: 'API keys' },
  { to: '/console/settings/single-sign-on', label: 'Single sign-on' },
  { to: '/console/settings/sessions', label: 'Your sessions' },
  { to: '/console/settings/cloud-accounts', label: 'Cloud accounts' },
  { to: '/console/settings/code-sources', label: 'Code sources' },
  { to: '/console/settings/projects', label: 'Projects' },
  { to: '/console/settings/defaults', label: 'Defaults' },
  { to: '/console/settings/execution-environments', label: 'Execution environments' },
  { to: '/console/settings/audit-log', label: 'Audit log' },
] as const

/** The frame of everything that is set up once and looked after now and then. */
export const Settings = () => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const place = places.find(({ to }) => path.startsWith(to))
  return (
    <Stack gap="lg">
      <PageTitle title={place?.label ?? 'Settings'} of={place && 'Settings'} />
      <div className={classes.frame}>
        <Paper component="nav" aria-label="Settings" className={classes.places} withBorder p={4}>
          {places.map(({ to, label }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              active={path.startsWith(to)}
              className={classes.place ?? ''}
            />
          ))}
        </Paper>
        <div className={classes.content}>
          <Outlet />
        </div>
      </div>
    </Stack>
  )
}
