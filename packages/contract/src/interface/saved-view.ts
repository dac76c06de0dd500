import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

/** Pages whose filters can be saved. */
export const savedViewPages = ['DEPLOYMENTS'] as const

/** Maximum number of views that a member saves for a page. */
export const maxSavedViews = 50

/** Maximum number of views in a list. */
export const maxListedViews = 500

const Page = Type.Enum(savedViewPages, { description: 'Page of the console.' })

const fields = {
  name: Type.String({ minLength: 1, maxLength: 80, description: 'Name, unique among your views of the page.' }),
  search: Type.String({
    maxLength: 2_000,
    description: 'Query string of the page: filters, order and columns.',
    examples: ['status=ERROR&days=7'],
  }),
  isShared: Type.Boolean({ description: 'Whether all members of the organization see the view.' }),
}

export const SavedView = Type.Object(
  {
    page: Page,
    ...fields,
    isOwn: Type.Boolean({ description: 'Whether the caller saved the view.' }),
    createdBy: Type.String({ description: 'Email address of the member who saved the view.' }),
  },
  { ...closed, description: 'Filters of a page, saved under a name.' },
)
export type SavedView = Static<typeof SavedView>

export const UpdateSavedViews = Type.Object(
  {
    page: Page,
    views: Type.Array(Type.Object(fields, closed), {
      maxItems: maxSavedViews,
      description: 'All your views of the page, in display order.',
    }),
  },
  {
    ...closed,
    description: 'Complete new list of your views of a page.',
    examples: [{ page: 'DEPLOYMENTS', views: [{ name: 'Failures', search: 'status=ERROR', isShared: true }] }],
  },
)
export type UpdateSavedViews = Static<typeof UpdateSavedViews>

export const SavedViews = Type.Object(
  { data: Type.Array(SavedView) },
  {
    ...closed,
    description: `Your views in display order, then those that others share, by name. At most ${maxListedViews}.`,
  },
)
export type SavedViews = Static<typeof SavedViews>
