export { until } from "#stack";
