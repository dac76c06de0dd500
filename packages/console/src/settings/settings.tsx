import { NavLink, Paper, Stack } from '@mantine/core'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { PageTitle } from '../ui/page-title.tsx'
import classes from './settings.module.css'
import { settingsPages } from './settings-pages.ts'

/** Layout of all settings pages. */
export const Settings = () => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const place = settingsPages.find(({ to }) => path.startsWith(to))
  return (
    <Stack gap="lg">
      <PageTitle title={place?.label ?? 'Settings'} of={place && 'Settings'} />
      <div className={classes.frame}>
        <Paper component="nav" aria-label="Settings" className={classes.places} withBorder p={4}>
          {settingsPages.map(({ to, label }) => (
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
