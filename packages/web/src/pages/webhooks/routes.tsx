import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'

const console = () => consoleRoute

export const webhookRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/webhooks/$endpointId',
    component: lazyRouteComponent(() => import('./endpoint-page.tsx'), 'EndpointPage'),
  }),
  createRoute({
    getParentRoute: console,
    path: '/webhooks/deliveries/$deliveryId',
    component: lazyRouteComponent(() => import('./delivery-page.tsx'), 'DeliveryPage'),
  }),
] as const
