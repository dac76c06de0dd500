import { Divider, Grid, Stack, Table } from '@mantine/core'
import type { ModuleInstance } from '@sluice/contract'
import { useParams } from '@tanstack/react-router'
import { useOperation } from '../api/use-operation.ts'
import { DeploymentRow } from '../deployments/deployment-row.tsx'
import { Answer } from '../ui/answer.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { DeployForm } from './deploy-form.tsx'

/** One module instance: what it is given, and what was released to it. */
export const InstancePage = () => {
  const { id } = useParams({ from: '/shell/console/instances/$id' })
  const instance = useOperation('getModuleInstance', { params: { id } })
  return <Answer of={instance}>{({ data }) => <Shown instance={data} />}</Answer>
}

const Shown = ({ instance }: { instance: ModuleInstance }) => {
  const { id, name, type, description, status, input } = instance
  const deployments = useOperation('listDeployments', { query: { moduleInstanceId: id, limit: 20 } })
  return (
    <Stack gap="lg" maw={1100}>
      <PageTitle
        title={name}
        below={[type, description].filter(Boolean).join(' · ')}
        aside={<StatusBadge status={status} size="lg" />}
      />
      <Grid gap="lg" overflow="hidden">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <DeployForm instance={instance} />
            <Section title="Deployments">
              <Answer of={deployments}>
                {({ data }) =>
                  data.length === 0 ? (
                    <Notice title="Nothing was deployed yet" />
                  ) : (
                    data.map((deployment, index) => (
                      <div key={deployment.id}>
                        {index > 0 && <Divider />}
                        <DeploymentRow deployment={deployment} />
                      </div>
                    ))
                  )
                }
              </Answer>
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="Input">
            <Table layout="fixed">
              <Table.Tbody>
                {Object.entries(input).map(([key, value]) => (
                  <Table.Tr key={key}>
                    <Table.Th w="40%">{key}</Table.Th>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>
                      {typeof value === 'string' ? value : JSON.stringify(value)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Section>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}
