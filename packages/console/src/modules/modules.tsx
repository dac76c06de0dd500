import { Badge, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useCompleteList } from '../api/use-pages.ts'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { Rows } from '../ui/tables/rows.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { NewModule } from './new-module.tsx'
import { BundledModules } from './publish-bundled.tsx'

/** Lists available modules: the organization's, shared and bundled ones. */
export const Modules = () => {
  const definitions = useCompleteList('listModuleDefinitions', {})
  const navigate = useNavigate()
  const show = (id: string) => navigate({ to: '/console/modules/$id', params: { id } })
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle title="Modules" aside={<NewModule onMade={show} />} />
      <QueryResult of={definitions}>
        {(all) => (
          <>
            <Section title="Published modules">
              <Rows
                of={all}
                empty={
                  <Notice title="No modules yet">
                    A module defines how a type of service is deployed. Publish one of the modules below, or write your
                    own.
                  </Notice>
                }
              >
                {({ id, name, type, description, latestVersion, organizationId }) => (
                  <Group justify="space-between" wrap="nowrap" py="xs">
                    <div>
                      <TextLink to="/console/modules/$id" params={{ id }} fw={600}>
                        {name}
                      </TextLink>
                      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                        {[type, description].filter(Boolean).join(' · ')}
                      </Text>
                    </div>
                    <Group gap="xs" wrap="nowrap">
                      {organizationId === undefined && <Badge variant="default">Shared with all organizations</Badge>}
                      <Badge variant="light" tt="none" color={latestVersion ? 'teal' : 'orange'}>
                        {latestVersion ?? 'No version yet'}
                      </Badge>
                    </Group>
                  </Group>
                )}
              </Rows>
            </Section>
            <BundledModules definitions={all} onPublished={show} />
          </>
        )}
      </QueryResult>
    </Stack>
  )
}
