import { CloseButton, NavLink, Paper, Stack, Text, TextInput } from '@mantine/core'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { IconSearch } from '../ui/icons.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { findSettings, type SettingsTexts } from './find-settings.ts'
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
        <Pages path={path} />
        <div className={classes.content}>
          <Outlet />
        </div>
      </div>
    </Stack>
  )
}

/** Lists the pages by section, with a search over their names, labels and help texts. */
const Pages = ({ path }: { path: string }) => {
  const [text, setText] = useState('')
  const [texts, setTexts] = useState<SettingsTexts>({})
  const load = () => import('./settings-texts.generated.json').then((module) => setTexts(module.default))
  const sections = findSettings(text, texts)
  return (
    <Paper component="nav" aria-label="Settings" className={classes.places ?? ''} withBorder p="xs">
      <TextInput
        type="search"
        size="xs"
        aria-label="Search settings"
        placeholder="Search settings"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={text !== '' && <CloseButton size="xs" aria-label="Clear search" onClick={() => setText('')} />}
        value={text}
        onFocus={load}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && setText('')}
      />
      <Text role="status" size="xs" c="dimmed" className={classes.none ?? ''}>
        {sections.length === 0 && 'No settings found. Try another word.'}
      </Text>
      <div className={classes.sections}>
        {sections.map(({ label, hits }) => (
          <section key={label} aria-label={`${label} settings`} className={classes.section}>
            <Text size="xs" fw={600} c="dimmed" px="xs" pt="xs" pb={2} className={classes.title ?? ''}>
              {label}
            </Text>
            {hits.map(({ page: { to, label: name }, text: match }) => (
              <NavLink
                key={to}
                component={Link}
                to={to}
                label={name}
                description={match}
                active={path.startsWith(to)}
                className={classes.place ?? ''}
              />
            ))}
          </section>
        ))}
      </div>
    </Paper>
  )
}
